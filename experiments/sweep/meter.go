package sweep

import "sync"

// A meter adds up the progress of all jobs.
type meter struct {
	mu         sync.Mutex
	done       []int
	sum, total int
	report     func(done, total int)
}

func newMeter(jobs, steps int, report func(done, total int)) *meter {
	return &meter{done: make([]int, jobs), total: steps, report: report}
}

func (m *meter) set(job, done int) {
	if m.report == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sum += done - m.done[job]
	m.done[job] = done
	m.report(m.sum, m.total)
}
