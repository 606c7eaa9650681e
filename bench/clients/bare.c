/* The times measured by a minimal client: how close to the wire is possible on this machine at all.
 *
 *   bare precise|sleep PORT RATE SECONDS
 *
 * One request at a time, over as many connections as the others have, in turn. `precise` polls its sockets and the clock from
 * 1.5 ms before a request is due, and then until the response has arrived; `sleep` is woken for both. Prints nanoseconds, one line
 * per response: from before the write until after the read. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS 10
#define LOOK_BEFORE_NS 1500000
#define LONGEST_ANSWER 65536

static void stop(const char *why) {
  perror(why);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void sleep_until(int64_t time) {
  struct timespec until = { time / 1000000000, time % 1000000000 };
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static int open_connection(int port, int events_fd) {
  struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  int on = 1;
  if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof address) != 0) stop("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
  if (epoll_ctl(events_fd, EPOLL_CTL_ADD, fd, &event) != 0) stop("epoll_ctl");
  return fd;
}

static void await_due_time(int64_t due, bool looks, int events_fd) {
  struct epoll_event event;
  sleep_until(looks ? due - LOOK_BEFORE_NS : due);
  while (looks && now() < due) epoll_wait(events_fd, &event, 1, 0);
}

/* Each response fits into one packet. */
static void await_answer(int fd, bool looks, int events_fd) {
  static char answer[LONGEST_ANSWER];
  struct epoll_event event;
  while (epoll_wait(events_fd, &event, 1, looks ? 0 : -1) < 1);
  if (read(fd, answer, sizeof answer) <= 0) stop("read");
}

int main(int count, char **words) {
  if (count != 5) return 2;
  bool looks = strcmp(words[1], "precise") == 0;
  int port = atoi(words[2]);
  double rate = atof(words[3]);
  int requests = (int) (rate * atof(words[4]));
  char request[128];
  int length = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: keep-alive\r\n\r\n", port);
  int events_fd = epoll_create1(0);
  int fds[CONNECTIONS];
  for (int index = 0; index < CONNECTIONS; index++) fds[index] = open_connection(port, events_fd);
  int64_t *times = malloc(requests * sizeof *times);
  int64_t start = now() + LOOK_BEFORE_NS;
  for (int index = 0; index < requests; index++) {
    int fd = fds[index % CONNECTIONS];
    await_due_time(start + (int64_t) (index * 1e9 / rate), looks, events_fd);
    int64_t sent = now();
    if (write(fd, request, length) != length) stop("write");
    await_answer(fd, looks, events_fd);
    times[index] = now() - sent;
  }
  for (int index = 0; index < requests; index++) printf("%lld\n", (long long) times[index]);
}
