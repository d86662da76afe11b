package policies

import (
	"fmt"
	"strconv"
	"strings"
)

// Kinds of devices that a policy may compute on. All give the same bits.
const (
	DeviceAuto = "auto" // a GPU where one can be used, else the CPU
	DeviceCPU  = "cpu"
	DeviceCUDA = "cuda"
)

// ParseDevice reads a choice of device: auto, cpu, cuda, or cuda:1 for the card of that
// number, from 0. The number is 0 if it is left out.
func ParseDevice(s string) (kind string, ordinal int, err error) {
	if s == DeviceAuto || s == DeviceCPU || s == DeviceCUDA {
		return s, 0, nil
	}
	number, ok := strings.CutPrefix(s, DeviceCUDA+":")
	if ok {
		// One spelling for each card.
		ordinal, err = strconv.Atoi(number)
		ok = err == nil && ordinal >= 0 && strconv.Itoa(ordinal) == number
	}
	if !ok {
		return "", 0, fmt.Errorf("device %q, want auto, cpu, cuda, or cuda: and the number of a card, as in cuda:1", s)
	}
	return DeviceCUDA, ordinal, nil
}
