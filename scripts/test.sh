#!/usr/bin/env bash
# Sets up what the tests need and runs all of them: the README's one test command.
#
#   scripts/test.sh         everything
#   scripts/test.sh quick   what needs neither a container nor a network
#
# On Debian, as root, it installs what is missing: a Docker engine with compose,
# RabbitMQ, Chromium, gcc and debootstrap. Elsewhere it uses what is there. A stage
# that can't run is counted as skipped and named; a test that skips is named, too.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

readonly staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
readonly govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
passed=() failed=() skipped=()

main() {
	[ $# -eq 0 ] || [ "$*" = quick ] || { echo "usage: scripts/test.sh [quick]" >&2; exit 2; }
	command -v go >/dev/null || { echo "Go is needed: install the version that go.mod names, or a newer one" >&2; exit 2; }

	[ "${1:-}" = quick ] || set_up
	stage "formatting" formatting
	stage "vet" each_module go vet ./...
	if [ "${1:-}" = quick ]; then
		stage "tests" tests -short -timeout 20m ./...
	else
		stage "staticcheck" static
		stage "known vulnerabilities" vulnerabilities
		stage "tests with the race detector, and real brokers" tests -race -timeout 45m ./...
		stage "tests that are larger without the race detector" tests -timeout 10m ./pkg/hotswap ./scripts/simulate
		stage "scenarios on a real broker" tests -timeout 10m ./scripts/demo/internal/scenario -run Broker -broker
		stage "containers, end to end" end_to_end ./scripts/e2e
		stage "the page in a browser" end_to_end ./scripts/browser
	fi
	stage "nested modules" nested_modules
	summary
}

# stage NAME COMMAND... runs one stage. It is skipped if the command returns 75
# and says why.
stage() {
	local name=$1 begun=$SECONDS status
	shift
	printf '\n== %s\n' "$name"
	"$@"
	status=$?
	case $status in
	0) passed+=("$name") ;;
	75) skipped+=("$name") ;;
	*) failed+=("$name") ;;
	esac
	printf '== %s: %s after %ds\n' "$name" "$(verdict $status)" $((SECONDS - begun))
}

verdict() { case $1 in 0) echo passed ;; 75) echo skipped ;; *) echo FAILED ;; esac; }

summary() {
	printf '\n'
	[ ${#skipped[@]} -eq 0 ] || printf 'skipped: %s\n' "${skipped[@]}"
	[ ${#failed[@]} -eq 0 ] || printf 'FAILED: %s\n' "${failed[@]}"
	printf 'stages, in %dm%02ds:\n' $((SECONDS / 60)) $((SECONDS % 60))
	printf '%d passed, %d failed, %d skipped\n' ${#passed[@]} ${#failed[@]} ${#skipped[@]}
	[ ${#failed[@]} -eq 0 ]
}

# set_up installs and starts what the tests need. What it can't have it leaves to
# the stages to miss.
set_up() {
	printf '== setting up\n'
	install_packages
	start_docker && scripts/base-images.sh
	go mod download
}

install_packages() {
	local missing=()
	command -v gcc >/dev/null || missing+=(gcc libc6-dev)
	command -v git >/dev/null || missing+=(git)
	command -v docker >/dev/null || missing+=(docker.io)
	command -v docker-compose >/dev/null || docker compose version >/dev/null 2>&1 || missing+=(docker-compose)
	command -v debootstrap >/dev/null || missing+=(debootstrap)
	command -v chromium >/dev/null || missing+=(chromium)
	[ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || missing+=(fonts-noto-cjk)
	[ -e /usr/lib/rabbitmq/bin/rabbitmq-server ] || missing+=(rabbitmq-server)
	[ ${#missing[@]} -gt 0 ] || return 0
	if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
		echo "not installed, and installing needs root on Debian: ${missing[*]}"
		return 0
	fi
	echo "installing ${missing[*]}"
	without_services apt_install "${missing[@]}" >"$logs/apt" 2>&1 || cat "$logs/apt"
}

apt_install() {
	apt-get update || return
	# From Debian 13 on, the docker command has a package of its own.
	if [[ " $* " == *" docker.io "* ]] && apt-cache show docker-cli >/dev/null 2>&1; then
		set -- "$@" docker-cli
	fi
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# without_services keeps a package from starting its service: the tests start
# brokers of their own, and one more on the standard port would be in the way.
without_services() {
	local policy=/usr/sbin/policy-rc.d
	[ ! -e $policy ] || { "$@"; return; }
	printf '#!/bin/sh\nexit 101\n' >$policy
	chmod 755 $policy
	"$@"
	local status=$?
	rm -f $policy
	return $status
}

start_docker() {
	docker info >/dev/null 2>&1 && return
	command -v dockerd >/dev/null && [ "$(id -u)" = 0 ] || return
	echo "starting the Docker engine"
	if [ -d /run/systemd/system ]; then
		systemctl start docker
	else
		nohup dockerd >/var/log/dockerd.log 2>&1 &
	fi
	for _ in $(seq 60); do
		docker info >/dev/null 2>&1 && return
		sleep 0.5
	done
	echo "the Docker engine does not start; it says:"
	tail -n 5 /var/log/dockerd.log 2>/dev/null
	return 1
}

formatting() {
	local bad
	bad=$(gofmt -l .)
	[ -z "$bad" ] || { printf 'not gofmt-ed:\n%s\n' "$bad"; return 1; }
}

# modules are the folders with a go.mod of their own and something in it.
modules() {
	local file dir
	git ls-files '*go.mod' | while read -r file; do
		dir=$(dirname "$file")
		[ -z "$(git ls-files "$dir/*.go")" ] || echo "$dir"
	done
}

each_module() {
	local dir status=0
	for dir in $(modules); do
		(cd "$dir" && "$@") || status=1
	done
	return $status
}

static() {
	available "$staticcheck" || return 75
	each_module go run "$staticcheck" ./...
}

# vulnerabilities needs a database that not every network reaches.
vulnerabilities() {
	available "$govulncheck" || return 75
	each_module go run "$govulncheck" ./... >"$logs/vulnerabilities" 2>&1
	local status=$?
	cat "$logs/vulnerabilities"
	if [ $status -ne 0 ] && grep -q 'fetching vulnerabilities' "$logs/vulnerabilities"; then
		echo "the database of vulnerabilities can't be reached from here"
		return 75
	fi
	return $status
}

# available says whether a tool at a pinned version is here or can be fetched.
available() {
	go run "$1" -version >"$logs/tool" 2>&1 && return
	cat "$logs/tool"
	echo "${1##*/} can't be fetched from here"
	return 1
}

# tests runs go test and shows what matters: each package's result, each skipped
# test with its reason, all that a failed package printed.
tests() {
	go test -v "$@" 2>&1 | tee "$logs/tests" | awk '
		/^(ok|FAIL|\?)[ \t]/ {
			if (/^FAIL/ && n) { for (i = n > 400 ? n - 400 : 0; i < n; i++) print kept[i % 400] }
			if (!/no test files/) print
			fflush()
			n = 0
			next
		}
		/^ *--- SKIP/ { sub(/^ */, ""); print $0 (reason ? ": " reason : "") }
		/^ +[a-z0-9_]+\.go:[0-9]+: / { reason = $0; sub(/^ +[^ ]+ /, "", reason) }
		/^=== RUN/ { reason = "" }
		{ kept[n++ % 400] = $0 }'
	return "${PIPESTATUS[0]}"
}

# end_to_end runs what must be asked for, because it starts containers.
end_to_end() {
	docker info >/dev/null 2>&1 || { echo "no Docker engine answers"; return 75; }
	E2E=1 go test -count=1 -v -timeout 40m "$@" 2>&1 | grep -v '^=== '
	return "${PIPESTATUS[0]}"
}

nested_modules() {
	local dir status=0
	for dir in $(modules); do
		[ "$dir" = . ] || (cd "$dir" && tests -timeout 20m ./...) || status=1
	done
	return $status
}

main "$@"
