// The order in which a card of the stand-in does what waits in its streams.
//
// Within a stream it is the order of the calls. Between streams there is none, so it is
// drawn here: while one stream is waited for, some of the others go on and some do not,
// a few operations at a time. And a card may be ahead: now and then operations are done
// at once, before anything waits for them. The draws come from a seed, so that what went
// wrong goes wrong again.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <vector>

struct Stream {
  std::deque<std::function<void()>> waiting;
};

class Streams {
 public:
  Stream *create() {
    all.push_back(new Stream);
    return all.back();
  }

  bool has(void *stream) const { return std::find(all.begin(), all.end(), stream) != all.end(); }
  size_t size() const { return all.size(); }

  // remove forgets a stream and what waits in it.
  void remove(Stream *s) {
    all.erase(std::find(all.begin(), all.end(), s));
    delete s;
  }
  void clear() {
    while (!all.empty()) remove(all.back());
  }

  // seed begins the draws anew.
  void seed(uint64_t value) { state = value; }

  void add(Stream *s, std::function<void()> operation) {
    s->waiting.push_back(std::move(operation));
    if (s->waiting.size() >= most_waiting) finish(s);
    if (draw(4) == 0) go_on(all[draw(all.size())], 8);
  }

  // finish does what waits in a stream, and some of what waits in others.
  void finish(Stream *s) {
    std::vector<Stream *> going = {s};
    for (Stream *other : all)
      if (other != s && draw(2) == 0) going.push_back(other);
    while (!s->waiting.empty()) go_on(going[draw(going.size())], 4);
  }
  void finish_all() {
    for (Stream *s : all) finish(s);
  }

 private:
  static const size_t most_waiting = 4096;
  std::vector<Stream *> all; // in the order in which they were made
  uint64_t state = 1;

  // draw gives a number below n: splitmix64, whose remainder is even enough here.
  size_t draw(size_t n) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % n;
  }

  // go_on does the next operations of a stream, up to so many.
  void go_on(Stream *s, size_t most) {
    for (size_t n = 1 + draw(most); n > 0 && !s->waiting.empty(); n--) {
      auto operation = std::move(s->waiting.front());
      s->waiting.pop_front();
      operation();
    }
  }
};
