/* A server that is not the bottleneck: one thread, epoll, no allocation per request, one write per batch.
 *
 *   server COUNTERS KIND BODY_SIZE [PEM]
 *
 * COUNTERS is a file that is mapped into memory: two 64-bit numbers, the requests received and the connections open.
 * Reading that file gives the current numbers without any work for the server. Prints its port, and ends when its standard
 * input does, so that it cannot outlive its parent. Clients may upgrade to WebSocket: each message of 20 bytes is a request, and is
 * sent back. With the kind "broadcast", each message (all have the same length) is sent to all connections, and each written copy
 * counts as a request. */
#define _GNU_SOURCE
#include "broadcast.h"
#include "response.h"
#include "transport.h"
#include "websocket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_HEAD 8192
#define RECEIVE_BYTES (256 * 1024)
#define EVENTS 512

struct connection {
  int fd;
  bool upgraded;      /* it uses WebSocket */
  bool over;          /* the client has closed it */
  bool blocked;       /* the socket accepts no more bytes: read nothing until it does */
  void *transport;
  size_t body_left;   /* of the request that is being received */
  size_t owed;        /* responses not written yet */
  size_t offset;      /* bytes of the first of them that are written */
  char *partial;      /* the beginning of an incomplete head; most connections never have one */
  size_t partial_size;
  uint64_t given;     /* broadcast: the position up to which it has been sent */
  struct connection *next, *previous;
};

static volatile uint64_t *counters;
static struct response_block block;
static struct response_block echo;
static bool broadcasts;
static struct connection *everybody;
static char received[MOST_HEAD + RECEIVE_BYTES];
static int events_fd;

static void stop(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void watch(int operation, int fd, uint32_t events, void *data) {
  struct epoll_event event = { .events = events, .data.ptr = data };
  if (epoll_ctl(events_fd, operation, fd, &event) != 0) stop("epoll_ctl failed");
}

static void enlist(struct connection *connection) {
  connection->next = everybody;
  if (everybody != NULL) everybody->previous = connection;
  everybody = connection;
}

static void strike(struct connection *connection) {
  if (connection->next != NULL) connection->next->previous = connection->previous;
  if (connection->previous != NULL) connection->previous->next = connection->next;
  else everybody = connection->next;
}

static void close_connection(struct connection *connection) {
  strike(connection);
  transport_close(connection->transport);
  close(connection->fd);
  free(connection->partial);
  free(connection);
  counters[1]--;
}

static size_t content_length(const char *head, size_t size) {
  static const char name[] = "content-length:";
  const char *end = head + size;
  for (const char *line = head; line != NULL && line + sizeof name < end; line = memchr(line, '\n', end - line)) {
    if (*line == '\n') line++;
    if (strncasecmp(line, name, sizeof name - 1) == 0) return strtoul(line + sizeof name - 1, NULL, 10);
  }
  return 0;
}

/* The same for messages: all have the same length; any other ends the connection. */
static size_t take_messages(struct connection *connection, const char *data, size_t size) {
  if (broadcasts) {
    size_t rest = broadcast_take(data, size);
    connection->over = rest == SIZE_MAX;
    return connection->over ? 0 : rest;
  }
  size_t whole = 0;
  for (; size >= 2 && !connection->over; data += WEBSOCKET_CLIENT_FRAME, size -= WEBSOCKET_CLIENT_FRAME) {
    if ((data[1] & 127) != WEBSOCKET_PAYLOAD) connection->over = true;
    if (connection->over || size < WEBSOCKET_CLIENT_FRAME) break;
    whole++;
  }
  connection->owed += whole;
  counters[0] += whole;
  return size;
}

static bool upgrade(struct connection *connection, const char *head, size_t size) {
  char bytes[WEBSOCKET_ANSWER_BYTES];
  size_t length = websocket_answer(head, size, bytes);
  if (length == 0) return false;
  connection->upgraded = transport_write(connection->transport, connection->fd, bytes, length) == (ssize_t) length;
  connection->over = !connection->upgraded;
  connection->given = broadcast_end();
  return true;
}

/* Counts the complete requests in `data`; returns how many bytes at its end belong to an incomplete head. */
static size_t take_requests(struct connection *connection, const char *data, size_t size) {
  if (connection->upgraded) return take_messages(connection, data, size);
  size_t whole = 0;
  while (size > 0) {
    size_t taken;
    if (connection->body_left > 0) {
      taken = connection->body_left < size ? connection->body_left : size;
      connection->body_left -= taken;
    } else {
      const char *end = memmem(data, size, "\r\n\r\n", 4);
      if (end == NULL) break;
      taken = (size_t) (end - data) + 4;
      if (upgrade(connection, data, taken)) return take_messages(connection, data + taken, size - taken);
      if (data[0] == 'P') connection->body_left = content_length(data, taken);
    }
    if (connection->body_left == 0) whole++;
    data += taken;
    size -= taken;
  }
  connection->owed += whole;
  counters[0] += whole;
  return size;
}

static bool keep_partial(struct connection *connection, const char *bytes, size_t size) {
  if (size > MOST_HEAD) return false;
  if (size > 0 && connection->partial == NULL) connection->partial = malloc(MOST_HEAD);
  if (size > 0) memcpy(connection->partial, bytes, size);
  connection->partial_size = size;
  return true;
}

/* False: the connection is over. */
static bool receive(struct connection *connection) {
  do {
    size_t before = connection->partial_size;
    if (before > 0) memcpy(received, connection->partial, before);
    ssize_t size = transport_read(connection->transport, connection->fd, received + before, RECEIVE_BYTES);
    if (size == WOULD_BLOCK) return true;
    if (size == 0) return false;
    size_t all = before + (size_t) size;
    size_t rest = take_requests(connection, received, all);
    if (connection->over) return false;
    if ((rest > 0 || before > 0) && !keep_partial(connection, received + all - rest, rest)) return false;
  } while (transport_more(connection->transport));
  return true;
}

static void wait_if(struct connection *connection, bool blocked) {
  if (blocked == connection->blocked) return;
  connection->blocked = blocked;
  watch(EPOLL_CTL_MOD, connection->fd, blocked ? EPOLLOUT : EPOLLIN, connection);
}

/* Sends the part of the broadcast that this connection has not got yet. False: the connection is over. */
static bool give(struct connection *connection) {
  size_t ahead;
  const char *bytes;
  bool kept;
  while ((kept = broadcast_from(connection->given, &bytes, &ahead)) && ahead > 0) {
    ssize_t size = transport_write(connection->transport, connection->fd, bytes, ahead);
    if (size == 0) return false;
    if (size == WOULD_BLOCK) break;
    uint64_t before = connection->given;
    connection->given += (uint64_t) size;
    counters[0] += broadcast_frames(before, connection->given);
  }
  wait_if(connection, ahead > 0);
  return kept;
}

static void give_to_all(void) {
  for (struct connection *connection = everybody, *next; connection != NULL; connection = next) {
    next = connection->next;
    if (connection->upgraded && !connection->blocked && !give(connection)) close_connection(connection);
  }
}

/* False: the connection is over. */
static bool answer(struct connection *connection) {
  if (broadcasts && connection->upgraded) return !connection->blocked || give(connection);
  bool had = connection->owed > 0;
  struct response_block *reply = connection->upgraded ? &echo : &block;
  while (connection->owed > 0) {
    size_t count = connection->owed < reply->copies ? connection->owed : reply->copies;
    if (reply->id_at > 0) response_stamp_ids(reply, count);
    ssize_t size = transport_write(connection->transport, connection->fd,
      reply->bytes + connection->offset, count * reply->size - connection->offset);
    if (size == 0) return false;
    if (size == WOULD_BLOCK) break;
    size_t written = connection->offset + (size_t) size;
    connection->owed -= written / reply->size;
    connection->offset = written % reply->size;
  }
  wait_if(connection, connection->owed > 0);
  return connection->blocked || !reply->closing || !had;
}

static void accept_all(int listener) {
  int fd, on = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
    struct connection *connection = calloc(1, sizeof *connection);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->fd = fd;
    connection->transport = transport_open(fd);
    enlist(connection);
    counters[1]++;
    watch(EPOLL_CTL_ADD, fd, EPOLLIN, connection);
  }
}

static int listen_somewhere(void) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t size = sizeof address;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (bind(fd, (struct sockaddr *) &address, size) != 0 || listen(fd, 65535) != 0) stop("cannot listen on 127.0.0.1");
  getsockname(fd, (struct sockaddr *) &address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  return fd;
}

static void map_counters(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 2 * sizeof *counters) != 0) stop("cannot write the file of the counters");
  counters = mmap(NULL, 2 * sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (counters == MAP_FAILED) stop("cannot map the file of the counters");
}

static void allow_many_files(void) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv) {
  if (argc < 4) stop("usage: server COUNTERS plain|chunked|varying|closing|broadcast BODY_SIZE [PEM]");
  map_counters(argv[1]);
  broadcasts = strcmp(argv[2], "broadcast") == 0;
  if (!response_prepare(&block, broadcasts ? "plain" : argv[2], strtoul(argv[3], NULL, 10))) stop("unknown kind of response");
  if (!transport_setup(argc > 4 ? argv[4] : NULL)) stop("cannot use that certificate with this transport");
  websocket_prepare(&echo);
  allow_many_files();

  struct epoll_event events[EVENTS];
  events_fd = epoll_create1(0);
  int listener = listen_somewhere();
  watch(EPOLL_CTL_ADD, listener, EPOLLIN, &listener);
  watch(EPOLL_CTL_ADD, STDIN_FILENO, EPOLLIN, &events_fd);

  for (;;) {
    int count = epoll_wait(events_fd, events, EVENTS, -1);
    response_refresh_date(&block);
    for (int i = 0; i < count; i++) {
      void *who = events[i].data.ptr;
      if (who == &events_fd) return 0;
      if (who == &listener) { accept_all(listener); continue; }
      struct connection *connection = who;
      bool alive = connection->blocked || receive(connection);
      if (!alive || !answer(connection)) close_connection(connection);
    }
    if (broadcasts) give_to_all();
  }
}
