#include "transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

static SSL_CTX *context;

bool transport_setup(const char *pem) {
  context = SSL_CTX_new(TLS_server_method());
  /* One read of the socket for a whole record, instead of one for its header and one for the rest. */
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  return pem != NULL
    && SSL_CTX_use_certificate_file(context, pem, SSL_FILETYPE_PEM) == 1
    && SSL_CTX_use_PrivateKey_file(context, pem, SSL_FILETYPE_PEM) == 1;
}

void *transport_open(int fd) {
  SSL *ssl = SSL_new(context);
  SSL_set_fd(ssl, fd);
  SSL_set_accept_state(ssl);
  return ssl;
}

static ssize_t outcome(SSL *ssl, int moved) {
  if (moved > 0) return moved;
  int error = SSL_get_error(ssl, moved);
  ERR_clear_error();
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? WOULD_BLOCK : 0;
}

ssize_t transport_read(void *transport, int fd, char *into, size_t size) {
  (void) fd;
  return outcome(transport, SSL_read(transport, into, (int) size));
}

ssize_t transport_write(void *transport, int fd, const char *from, size_t size) {
  (void) fd;
  /* SSL_write takes an int; writing only part of a large block is fine. */
  return outcome(transport, SSL_write(transport, from, size > (1 << 20) ? 1 << 20 : (int) size));
}

bool transport_more(void *transport) {
  return SSL_has_pending(transport);
}

void transport_close(void *transport) {
  SSL_free(transport);
}
