package reference

import (
	"container/list"
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

// A shelf holds the last things that were asked for, by their names.
type shelf[T any] struct {
	mu       sync.Mutex
	capacity int
	byAge    *list.List // of *item[T]; the one asked for last is in front
	items    map[string]*list.Element
}

// An item is a thing, or the reason why it does not exist, which the first caller of make finds out.
type item[T any] struct {
	name string
	make func() (T, error)
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
	e, known := s.items[name]
	if !known {
		e = s.byAge.PushFront(&item[T]{name, sync.OnceValues(produce)})
		s.items[name] = e
	}
	s.byAge.MoveToFront(e)
	for len(s.items) > s.capacity {
		delete(s.items, s.byAge.Remove(s.byAge.Back()).(*item[T]).name)
	}
	s.mu.Unlock()
	return e.Value.(*item[T]).make()
}
