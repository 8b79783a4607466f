#!/usr/bin/env bash
# Makes the base images that docker-compose.yml and services/Dockerfile name, out
# of Debian packages, for a machine that reaches no container registry.
#
#   scripts/base-images.sh              the Go builder and RabbitMQ
#   scripts/base-images.sh --with-3.10  RabbitMQ 3.10 as well, for the broker tests
#
# An image that is there already, or that a registry serves, is left as it is.
# What this script makes are stand-ins: they carry the official names and behave
# alike where this project uses them, but nobody else made or checked them.
#
# Needs root, a Docker engine, Go, and Debian's packages. The system roots are
# unpacked under $XDG_CACHE_HOME (or /var/cache), never in the repository.
# DEBIAN_MIRROR names another package mirror than debootstrap's default.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly cache=${XDG_CACHE_HOME:-/var/cache}/adapter-hotswap
readonly label=adapter-hotswap.stand-in
work=

say() { printf 'base-images: %s\n' "$*"; }
fail() {
	printf 'base-images: %s\n' "$*" >&2
	exit 1
}

main() {
	local with_310=
	case "${1:-}" in
	'') ;;
	--with-3.10) with_310=yes ;;
	*) fail "unknown option '$1': only --with-3.10 is known" ;;
	esac
	docker info >/dev/null 2>&1 || fail "no Docker engine answers: start one (dockerd), or join the group docker"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT

	# The two files below are the only place that says which images are needed.
	local go_image rabbit_image
	go_image=$(sed -n 's/^FROM \(golang:[^ ]*\).*/\1/p' services/Dockerfile)
	rabbit_image=$(sed -n 's/.*{RABBITMQ_IMAGE:-\([^}]*\)}.*/\1/p' docker-compose.yml)

	provide "$go_image" trixie go_builder
	provide "$rabbit_image" trixie rabbitmq
	[ -z "$with_310" ] || provide rabbitmq:3.10.8 bookworm rabbitmq
}

# provide IMAGE SUITE RECIPE makes sure that IMAGE exists.
provide() {
	local image=$1 suite=$2 recipe=$3
	if docker image inspect "$image" >/dev/null 2>&1; then
		say "$image: already there$(stand_in_note "$image")"
	elif pull "$image"; then
		say "$image: pulled, the official image"
	else
		say "$image: no registry serves it, making a stand-in from Debian packages ($suite)"
		system_root "$suite"
		"$recipe" "$image" "$suite"
		say "$image: made$(stand_in_note "$image")"
	fi
}

stand_in_note() {
	local holds
	holds=$(docker image inspect --format "{{index .Config.Labels \"$label\"}}" "$1")
	[ -z "$holds" ] || printf ', a stand-in and not the official image: %s' "$holds"
}

# pull gives a registry ten seconds to answer, and a download that has begun as
# long as it takes.
pull() {
	local log=$work/pull pid
	docker pull "$1" >"$log" 2>&1 &
	pid=$!
	for _ in $(seq 40); do
		if ! kill -0 "$pid" 2>/dev/null || grep -q 'Pulling from' "$log"; then
			wait "$pid"
			return
		fi
		sleep 0.25
	done
	kill "$pid"
	wait "$pid" || return 1
}

# system_root SUITE imports a minimal Debian as adapter-hotswap/debian:SUITE.
system_root() {
	local suite=$1 root
	docker image inspect "adapter-hotswap/debian:$suite" >/dev/null 2>&1 && return
	[ "$(id -u)" = 0 ] || fail "making a Debian root needs root: run it with sudo"
	need_debootstrap
	mkdir -p "$cache/packages"
	root=$(mktemp -d "$cache/$suite.XXXXXX")
	say "unpacking a minimal Debian $suite (about a minute, once)"
	quietly debootstrap --variant=minbase --include=ca-certificates --cache-dir="$cache/packages" \
		"$suite" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
	rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
	# Containers have no service manager: packages must not try to start services.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod 755 "$root/usr/sbin/policy-rc.d"
	tar -C "$root" -c . | docker import - "adapter-hotswap/debian:$suite" >/dev/null
	rm -rf "$root"
}

need_debootstrap() {
	command -v debootstrap >/dev/null && return
	command -v apt-get >/dev/null || fail "debootstrap is not installed, and there is no apt-get to install it"
	say "installing debootstrap"
	quietly apt-get update
	quietly env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends debootstrap
}

# go_builder makes what services/Dockerfile needs of the official Go image: this
# machine's Go tree, the certificates that it trusts, and where it gets modules.
go_builder() {
	local image=$1 suite=$2 name
	command -v go >/dev/null || fail "Go is not installed: its tree is what the builder image is made of"
	local settings=()
	for name in GOPROXY GOSUMDB GONOSUMDB GONOPROXY GOPRIVATE GOINSECURE; do
		[ -z "$(go env "$name")" ] || settings+=("'$name=$(go env "$name")'")
	done
	cp /etc/ssl/certs/ca-certificates.crt "$work/"
	cat >"$work/Dockerfile" <<-EOF
		FROM adapter-hotswap/debian:$suite
		COPY go /usr/local/go
		COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
		ENV GOPATH=/go GOTOOLCHAIN=local
		ENV PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		RUN go env -w ${settings[*]}
		WORKDIR /go
		LABEL $label="$(go env GOVERSION) of this machine on Debian $suite"
	EOF
	tar -c -C "$work" Dockerfile ca-certificates.crt \
		-C "$(go env GOROOT)" --transform='s,^\.\(/\|$\),go\1,' --exclude=./test --exclude=./api . |
		quietly docker build --tag "$image" -
}

# rabbitmq makes what this project needs of the official RabbitMQ image: the same
# user and numbers, the same folder for the data, the log on stdout, and tools
# that work without root.
rabbitmq() {
	local image=$1 suite=$2
	cat >"$work/docker-entrypoint.sh" <<-'EOF'
		#!/bin/sh
		# As root: hand the data over to the user rabbitmq and become that user.
		set -eu
		case "${1:-}" in rabbitmq*)
			if [ "$(id -u)" = 0 ]; then
				[ "$1" != rabbitmq-server ] || find /var/lib/rabbitmq ! -user rabbitmq -exec chown rabbitmq: {} +
				exec setpriv --reuid=rabbitmq --regid=rabbitmq --init-groups "$0" "$@"
			fi
			;;
		esac
		exec "$@"
	EOF
	chmod 755 "$work/docker-entrypoint.sh"
	cat >"$work/Dockerfile" <<-EOF
		FROM adapter-hotswap/debian:$suite
		RUN groupadd --system --gid 999 rabbitmq \\
		 && useradd --system --uid 999 --gid rabbitmq --home-dir /var/lib/rabbitmq rabbitmq \\
		 && apt-get update \\
		 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends rabbitmq-server \\
		 && rm -rf /var/lib/apt/lists/* /var/cache/apt/archives/*.deb /var/lib/rabbitmq/.erlang.cookie \\
		 && echo 'loopback_users.guest = false' > /etc/rabbitmq/rabbitmq.conf
		COPY docker-entrypoint.sh /usr/local/bin/
		ENV PATH=/usr/lib/rabbitmq/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		ENV HOME=/var/lib/rabbitmq RABBITMQ_LOGS=- LANG=C.UTF-8
		VOLUME /var/lib/rabbitmq
		EXPOSE 4369 5672 25672
		ENTRYPOINT ["docker-entrypoint.sh"]
		CMD ["rabbitmq-server"]
	EOF
	tar -c -C "$work" Dockerfile docker-entrypoint.sh | quietly docker build --tag "$image" \
		--build-arg http_proxy --build-arg https_proxy --build-arg no_proxy -
	label_rabbitmq "$image" "$suite"
}

# label_rabbitmq writes down which version the package brought.
label_rabbitmq() {
	local version
	version=$(docker run --rm --entrypoint dpkg-query "$1" --show --showformat='${Version}' rabbitmq-server)
	case "$version" in
	"${1#*:}"-*) ;;
	*) say "$1: note that Debian $2 has RabbitMQ $version" ;;
	esac
	printf 'FROM %s\nLABEL %s="rabbitmq-server %s of Debian %s"\n' "$1" "$label" "$version" "$2" |
		quietly docker build --tag "$1" -
}

# quietly runs a command and shows what it printed only when it fails.
quietly() {
	DOCKER_BUILDKIT=0 "$@" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		fail "failed: $*"
	}
}

main "$@"
