/* How bytes reach a client: as they are (plain.c) or through TLS (tls.c). One of the two is linked in. */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <sys/types.h>

/* What a read or a write returns when nothing can be moved now. 0 means that the connection is over. */
#define WOULD_BLOCK (-1)

/* pem: a file with a certificate and its key; plain.c needs none. False when it cannot be used. */
bool transport_setup(const char *pem);

void *transport_open(int fd);
ssize_t transport_read(void *transport, int fd, char *into, size_t size);
ssize_t transport_write(void *transport, int fd, const char *from, size_t size);
/* Are there received bytes that epoll cannot see, because they already left the socket? */
bool transport_more(void *transport);
void transport_close(void *transport);

#endif
