package cuda

import "fmt"

// Probe describes the devices in lines for people: one for each, with the reason if it cannot be
// used, or one line that explains why there is no device. library is the driver's, "" for
// DefaultLibrary. It opens no device.
func Probe(library string) []string {
	none := func(err error) []string { return []string{"no CUDA device: " + err.Error()} }
	a, err := openDriver(library)
	if err != nil {
		return none(err)
	}
	count, err := a.cards()
	if err != nil {
		return none(err)
	}
	var lines []string
	for ordinal := range count {
		c, err := a.card(ordinal)
		if err != nil {
			lines = append(lines, fmt.Sprintf("cuda:%d not usable: %v", ordinal, err))
			continue
		}
		line := fmt.Sprintf("cuda:%d %s, compute capability %d.%d, %d multiprocessors, %s, driver for CUDA %s",
			ordinal, c.name, c.major, c.minor, c.multiprocessors, size(c.memory), versionText(a.version))
		if c.check() != nil {
			line += fmt.Sprintf("; not usable: want compute capability %d.%d or newer", leastMajor, leastMinor)
		}
		lines = append(lines, line)
	}
	return lines
}
