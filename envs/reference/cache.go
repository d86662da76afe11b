package reference

import (
	"container/list"
	"errors"
	"fmt"
	"strings"
	"sync"

	"modebench/envs"
)

// A Cache keeps the problems that were asked for last, by their references, and their environments.
// It is safe for concurrent use. A problem that several callers ask for at once is made once.
type Cache struct {
	problems *shelf[*Posed]
	envs     *shelf[envs.Env]
}

const cachedEnvs = 16

// NewCache returns a cache of the given number of problems, at least one.
func NewCache(problems int) *Cache {
	return &Cache{newShelf[*Posed](problems), newShelf[envs.Env](cachedEnvs)}
}

// Len is how many references are kept, those with an error included.
func (c *Cache) Len() int { return c.problems.len() }

// Find is the problem of a reference. A fault of the reference is an error. If check is not
// nil, it may refuse the reference before anything is made of it.
func (c *Cache) Find(text string, check func(*Reference) error) (*Posed, error) {
	if len(text) > maxLength {
		_, err := Parse(text) // which is too long to be kept
		return nil, err
	}
	return c.problems.get(text, func() (*Posed, error) {
		r, err := Parse(text)
		if err != nil {
			return nil, err
		}
		if check != nil {
			if err := check(r); err != nil {
				return nil, fmt.Errorf("reference %.100q: %w", text, err)
			}
		}
		env, err := c.envs.get(r.Env+strings.Join(r.settings(), "&"), r.Build)
		if err != nil {
			return nil, fmt.Errorf("reference %.100q: %w", text, err)
		}
		return r.FindIn(env)
	})
}

// errBroken is the error of the other callers if making a thing panics.
var errBroken = errors.New("making it failed")

type shelf[T any] struct {
	mu       sync.Mutex
	capacity int
	byAge    *list.List // of *item[T]; the one asked for last is in front
	items    map[string]*list.Element
}

// An item is a thing or what was wrong when it was made, which is known once ready is closed.
type item[T any] struct {
	name  string
	ready chan struct{}
	thing T
	err   error
}

func newShelf[T any](capacity int) *shelf[T] {
	return &shelf[T]{capacity: max(1, capacity), byAge: list.New(), items: map[string]*list.Element{}}
}

func (s *shelf[T]) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items)
}

// get returns the thing of that name, which is made if it is not there.
func (s *shelf[T]) get(name string, produce func() (T, error)) (T, error) {
	s.mu.Lock()
	if e, ok := s.items[name]; ok {
		s.byAge.MoveToFront(e)
		s.mu.Unlock()
		it := e.Value.(*item[T])
		<-it.ready
		return it.thing, it.err
	}
	it := &item[T]{name: name, ready: make(chan struct{})}
	s.items[name] = s.byAge.PushFront(it)
	for len(s.items) > s.capacity {
		oldest := s.byAge.Back()
		delete(s.items, s.byAge.Remove(oldest).(*item[T]).name)
	}
	s.mu.Unlock()
	defer close(it.ready)
	it.err = errBroken
	it.thing, it.err = produce()
	return it.thing, it.err
}
