package envs

import "sync"

// A Cache keeps a problem's results that take long to work out, and is safe for concurrent use.
// Results of one key are equal, whoever works them out.
type Cache[K comparable, V any] struct {
	lock sync.RWMutex
	kept map[K]V
}

// Get returns the result of a key, and whether it is kept.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	c.lock.RLock()
	defer c.lock.RUnlock()
	value, ok := c.kept[key]
	return value, ok
}

// Put keeps a result, unless limit results are kept already.
func (c *Cache[K, V]) Put(key K, value V, limit int) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.kept == nil {
		c.kept = map[K]V{}
	}
	if len(c.kept) < limit {
		c.kept[key] = value
	}
}
