package httpjudge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"modebench/envs/reference"
	"modebench/internal/params"
)

// makingTime is how long a request may make problems that are not kept yet. A problem takes
// microseconds under most settings. Under some it takes two seconds to find that there is none.
const makingTime = 10 * time.Second

// largest is how many numbers the environment of a reference may hold: some fields take memory
// for each other's values.
const largest = 1 << 18

var errLate = fmt.Errorf("the request has made problems for %v: ask for fewer new ones at a time", makingTime)

// cheap refuses settings that take too much memory.
func cheap(r *reference.Reference) error {
	values := params.Values(r.Config)
	size := 1
	for _, field := range []string{"modes", "arms_per_mode", "components"} {
		if n, ok := values[field].(int); ok && n > 0 {
			size *= n
		}
	}
	if dim, ok := values["dim"].(int); ok {
		size = max(size, dim*max(1, size))
	}
	if size > largest {
		return fmt.Errorf("settings of %d numbers, want at most %d here", size, largest)
	}
	return nil
}

// A finder finds the problems of one request.
type finder struct {
	cache *reference.Cache
	until time.Time
}

func (h *Handler) finder() finder { return finder{h.cache, time.Now().Add(makingTime)} }

func (f finder) find(id string) (*reference.Posed, error) {
	if q, err, known := f.cache.Known(id); known {
		return q, err
	}
	if time.Now().After(f.until) {
		return nil, errLate
	}
	return f.cache.Find(id, cheap)
}

// parseJudge reads the request of /judge. Fields that it does not know pass.
func parseJudge(data []byte) (*judgeRequest, error) {
	request := new(judgeRequest)
	if err := json.Unmarshal(data, request); err != nil {
		return nil, errors.New(`want {"items": [{"id": "...", "answer": "..."}], "reading": "lenient", "embeddings": false}, all ids and answers text`)
	}
	return request, nil
}

// parseDataset reads the query of /problems.
func parseDataset(query url.Values, most int) (*reference.Dataset, error) {
	for name, values := range query {
		if !slices.Contains([]string{"env", "split", "index", "count", "shots", "settings"}, name) || len(values) != 1 {
			return nil, fmt.Errorf("the query has %.40q, want env, split, index, count, shots and settings, each once", name)
		}
	}
	number := func(name, normal string) int {
		text := query.Get(name)
		if text == "" {
			text = normal
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	split := query.Get("split")
	if split == "" {
		split = "train"
	}
	text := fmt.Sprintf("%s/%s/%d", query.Get("env"), split, max(0, number("index", "0")))
	if settings := query.Get("settings"); settings != "" {
		text += "?" + settings
	}
	first, err := reference.Parse(text)
	if err != nil {
		return nil, err
	}
	count, shots := number("count", "1"), number("shots", "0")
	switch {
	case number("index", "0") < 0:
		return nil, errors.New("index is no whole number of at least 0")
	case count < 0 || count > most:
		return nil, fmt.Errorf("count is %.20q, want 0 to %d", query.Get("count"), most)
	case shots < 0 || shots > 16:
		return nil, fmt.Errorf("shots is %.20q, want 0 to 16", query.Get("shots"))
	}
	return &reference.Dataset{First: first, Count: count, Shots: shots}, cheap(first)
}
