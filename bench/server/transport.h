/* How bytes reach a client: directly (plain.c) or through TLS (tls.c). One of the two is linked. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <sys/types.h>

/* Returned by a read or a write if it would block. 0 means that the connection is over. */
#define WOULD_BLOCK (-1)

/* pem: a file with a certificate and its key; plain.c needs none. False if it is unusable. */
bool transport_setup(const char *pem);

void *transport_open(int fd);
ssize_t transport_read(void *transport, int fd, char *into, size_t size);
ssize_t transport_write(void *transport, int fd, const char *from, size_t size);
/* Whether there are received bytes that epoll doesn't report, because they were already read from the socket. */
bool transport_more(void *transport);
void transport_close(void *transport);

#endif
