/* WebSocket, as far as a server needs it that echoes one message of a known length: the answer to a handshake, and the frames. */
#ifndef WEBSOCKET_H
#define WEBSOCKET_H

#include "response.h"

/* The message that clients send: so many times the letter x. */
#define WEBSOCKET_PAYLOAD 20
/* With a header of two bytes and a mask. */
#define WEBSOCKET_CLIENT_FRAME (2 + 4 + WEBSOCKET_PAYLOAD)
#define WEBSOCKET_ANSWER_BYTES 256

/* Writes the answer to a handshake; 0 where the head of this request asks for none. */
size_t websocket_answer(const char *head, size_t size, char *to);

/* The message as it goes back, as a block of equal copies. */
void websocket_prepare(struct response_block *block);

#endif
