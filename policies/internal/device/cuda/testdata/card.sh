#!/usr/bin/env bash
# Everything that needs a machine with an NVIDIA card, in one call: that the card gives
# the processor's bits, that the kernels are clean, and how fast it is beside PyTorch.
#
#   card.sh                    builds and runs, in a temporary folder
#   card.sh build DIR          compiles the tests and gathers what they need in a new folder
#   card.sh run DIR [PART...]  runs them, or these parts alone: on another machine, without
#                              Go and without network
#
# To build needs Go and the module's dependencies (GOARCH=arm64 for a machine of that
# kind). To run needs Linux and the NVIDIA driver. compute-sanitizer (of the CUDA
# toolkit) and a PyTorch for CUDA are used where they are found; PYTHON names the
# interpreter that has one, SANITIZER the program, CUDA_VISIBLE_DEVICES the card, of several.
# LIMIT (60m) is how long a part's tests may take, SPEED has options for benchmark.py.
#
# It prints, part by part,
#   machine    nvidia-smi's name and driver of the card, and bench version
#   kernels    equality of every kernel with the reference, to the bit
#   training   equality of training and sampling: checkpoints, losses and rollouts of
#              short runs, and of 50 steps at sizes S, M and that of mazes
#   records    a run of a spec (SPEC, one seed) on the card and on the processor: the same
#              bytes, and how long each took
#   memcheck, racecheck, initcheck
#              compute-sanitizer on the kernels, and on a short run of training
#   speed      milliseconds (median, least) and tokens a second of training and sampling
#              at S, M and maze, here and in PyTorch, eager and compiled; the share of
#              what a large matrix product and a large copy reach; the ratios, and
#              whether the target (3 times eager PyTorch at S and M) is met or MISSED;
# and then which parts passed, failed or could not run. A part that fails does not keep
# the next from running. The exit status is 0 where all parts passed, 3 where none failed
# but some could not run, 1 where one failed or a target was missed, and 2 where nothing
# could be run at all. Building takes about a minute.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cuda=policies/internal/device/cuda
transformer=policies/transformer

stop() {
	echo "card.sh: $*" >&2
	exit 2
}

# build DIR: the folders are those of the repository, since tests look for files there.
build() {
	local to=$1 root file
	root=$(cd "$here/../../../../.." && pwd)
	[ -f "$root/go.mod" ] || stop "build: no go.mod in $root: build from the repository"
	command -v go >/dev/null || stop "build: no Go in PATH"
	if [ -e "$to" ] && [ -n "$(ls -A "$to")" ]; then stop "build: $to is not empty"; fi
	mkdir -p "$to/$cuda/testdata" "$to/policies/internal/device/cpu" "$to/$transformer/testdata"
	to=$(cd "$to" && pwd)
	(
		cd "$root"
		# Without cgo no particular version of the C library is asked for.
		export CGO_ENABLED=0 GOOS=linux
		go build -trimpath -ldflags '-s -w' -o "$to/bench" ./cmd/bench
		go test -c -trimpath -ldflags '-s -w' -o "$to/$cuda/cuda.test" "./$cuda"
		go test -c -trimpath -ldflags '-s -w' -o "$to/$transformer/transformer.test" "./$transformer"
		for file in "$cuda/kernels" "$cuda/shim" "$cuda/kernels.sum"; do cp -R "$file" "$to/$cuda/"; done
		cp policies/internal/device/cpu/vector_constants.go "$to/policies/internal/device/cpu/"
		cp "$transformer"/testdata/*.py "$to/$transformer/testdata/"
		cp "$cuda/testdata/card.sh" "$to/$cuda/testdata/"
		ln -s "$cuda/testdata/card.sh" "$to/card.sh"
	)
}

# The programs are packed in a folder that goes to another machine: 50 MiB of them are
# more than some ways there take. run unpacks them.
programs=(bench "$cuda/cuda.test" "$transformer/transformer.test")
pack() { (cd "$1" && gzip "${programs[@]}"); }
unpack() {
	local program
	for program in "${programs[@]}"; do
		[ ! -f "$program.gz" ] || gzip -d "$program.gz"
	done
}

passed=() failed=() absent=()

# part NAME COMMAND...: the command's status is 0 where it passed, and 4 where it could
# not run.
part() {
	local name=$1 started=$SECONDS status=0
	shift
	printf '\n== %s\n' "$name"
	"$@" || status=$?
	case $status in
	0) passed+=("$name") && echo "$name: passed in $((SECONDS - started))s" ;;
	4) absent+=("$name") ;; # it has said why
	*) failed+=("$name") && echo "$name: FAILED (status $status) after $((SECONDS - started))s" ;;
	esac
}

machine() {
	if command -v nvidia-smi >/dev/null; then
		nvidia-smi --query-gpu=index,name,driver_version,memory.total,clocks.max.sm --format=csv,noheader || return 1
	else
		echo "no nvidia-smi: bench version says what the driver does"
	fi
	./bench version
}

# tests FOLDER PROGRAM...: runs compiled tests in their folder, and says how many passed,
# which were skipped, and, of a failure, everything.
tests() {
	local folder=$1 status=0
	shift
	(cd "$folder" && exec "$@" -test.v -test.count=1 -test.timeout="${LIMIT:-60m}") >"$scratch/log" 2>&1 || status=$?
	if [ "$status" != 0 ]; then
		cat "$scratch/log"
		return 1
	fi
	grep -hE 'those of the processor$' "$scratch/log" || true
	# A test says why it is skipped in the line before.
	awk '/^--- SKIP/ { names[why] = names[why] " " $3; next } /^ +[a-z_0-9]+\.go:[0-9]+: / { sub(/^[^:]*:[0-9]*: /, ""); why = $0 }
		END { for (why in names) print "skipped:" names[why] ": " why }' "$scratch/log"
	echo "$(grep -cE '^--- PASS' "$scratch/log" || true) tests passed, $(grep -cE '^--- SKIP' "$scratch/log" || true) skipped"
	# All that compute on a card being skipped would be no result.
	grep -qE '^--- PASS: (TestMatMul|TestCardLongRun) ' "$scratch/log" || { echo "the tests that were to run on the card did not"; return 1; }
}

kernels() { tests "$cuda" ./cuda.test; }

training() {
	tests "$transformer" ./transformer.test -test.run '^TestCard' || return 1
	if grep -E '^ +--- SKIP: TestCardLongRun' "$scratch/log"; then return 1; fi
}

# records: what a user has of it. The two runs make their own base policies.
records() {
	local device
	for device in cuda cpu; do
		local started=$SECONDS
		timeout "${LIMIT:-60m}" ./bench run "${SPEC:-dose}" --policy transformer --seeds 1 --jobs "$(nproc)" --device "$device" \
			--figure-format none --out "$scratch/$device" --cache "$scratch/$device-cache" >"$scratch/log" 2>&1 || { cat "$scratch/log"; return 1; }
		echo "$device: $(find "$scratch/$device/cells" -name DONE | wc -l) cells of ${SPEC:-dose} in $((SECONDS - started))s"
	done
	# A base policy is its bytes; where and when a cell was made is its provenance.
	diff -r "$scratch/cuda-cache" "$scratch/cpu-cache" && diff -r -x provenance.json "$scratch/cuda/cells" "$scratch/cpu/cells" || return 1
	echo "the same base policies, checkpoints and records; SHA-256 of the records:"
	(cd "$scratch/cuda/cells" && find . -name '*.jsonl' | LC_ALL=C sort | xargs cat | sha256sum)
}

# sanitizer TOOL: a fault anywhere fails the part.
sanitizer() {
	local tool=$1 program=${SANITIZER:-}
	if [ -z "$program" ]; then
		for program in "$(command -v compute-sanitizer || true)" /usr/local/cuda/bin/compute-sanitizer; do
			[ -x "$program" ] && break
		done
	fi
	if [ ! -x "$program" ]; then
		echo "not run: no compute-sanitizer in PATH or /usr/local/cuda/bin (it comes with the CUDA toolkit; SANITIZER names one)"
		return 4
	fi
	# The package reads every status that the driver returns, so those need no report.
	local call=("$program" --tool "$tool" --error-exitcode 9)
	[ "$tool" != memcheck ] || call+=(--report-api-errors no)
	# Of package cuda's tests, those about PTX ask no card.
	tests "$cuda" "${call[@]}" ./cuda.test -test.skip '^TestPTX' || return 1
	grep -E '=+ (ERROR|RACECHECK) SUMMARY' "$scratch/log" || true
	tests "$transformer" "${call[@]}" ./transformer.test -test.run '^TestCard(EqualsProcessor|LongRun)$/^(mazes|chains|tiny)$' || return 1
	grep -E '=+ (ERROR|RACECHECK) SUMMARY' "$scratch/log" || true
}

speed() {
	local python
	for python in "${PYTHON:-}" python3 /usr/bin/python3; do
		[ -n "$python" ] && "$python" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null && break
		python=
	done
	if [ -z "$python" ]; then
		echo "not run: no Python with a PyTorch that finds the card (PYTHON names one), so no ceilings and no ratios; ours alone:"
		(cd "$transformer" && ./transformer.test -test.run '^$' -test.bench '^BenchmarkCard' -test.benchtime 2s -test.timeout "${LIMIT:-60m}") || return 1
		return 4
	fi
	local status=0
	"$python" "$transformer/testdata/benchmark.py" --device cuda --binary "$PWD/$transformer/transformer.test" ${SPEED:-} || status=$?
	if [ "$status" = 3 ]; then echo "a target was MISSED, see above"; fi
	return "$status"
}

run() {
	[ -x "$1/bench" ] || [ -f "$1/bench.gz" ] || stop "run: no $1/bench.gz: card.sh build makes such a folder"
	cd "$1"
	unpack
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch" "${temporary:-}"' EXIT
	export MODEBENCH_CUDA_TEST=card PYTHONDONTWRITEBYTECODE=1
	# One card alone, which PyTorch and the tests both call the first.
	export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0}"

	shift
	[ $# != 0 ] || set -- machine kernels training records memcheck racecheck initcheck speed
	./bench version | grep -E '^device cuda:' | grep -v 'not usable' >/dev/null || { ./bench version; stop "no card can be used here; bench version, above, says why"; }
	local name
	for name in "$@"; do
		case $name in
		machine | kernels | training | records | speed) part "$name" "$name" ;;
		memcheck | racecheck | initcheck) part "$name" sanitizer "$name" ;;
		*) stop "run: no part $name" ;;
		esac
	done

	printf '\n'
	echo "passed: ${passed[*]:-none}"
	[ ${#absent[@]} = 0 ] || echo "could not run: ${absent[*]}"
	[ ${#failed[@]} = 0 ] || { echo "FAILED: ${failed[*]}"; exit 1; }
	[ ${#absent[@]} = 0 ] || exit 3
}

case "${1:-} $#" in
" 0")
	temporary=$(mktemp -d)
	trap 'rm -rf "$temporary"' EXIT
	build "$temporary"
	run "$temporary"
	;;
"build 2")
	build "$2"
	pack "$2"
	echo "built in $2; there, on the machine with the card: ./card.sh run ."
	;;
"run "[2-9]) shift && run "$@" ;;
*) stop "want no arguments, or build DIR, or run DIR [PART...]" ;;
esac
