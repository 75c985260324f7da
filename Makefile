# posed: the commands for a fresh clone. `make run` shows posed live; `make test` runs every test.

# Release binaries contain the Swift library: half the resident memory of the shared library, and no other files to
# install. These flags rebuild everything, so they have a separate folder.
RELEASE_FOLDER = .build/release-static
# The build ID names the debug symbols that `make deb` puts into packages of their own. Breadcrumbs would be hashes of
# compiled C headers in the module cache, which differ from build to build.
RELEASE = swift build --configuration release --static-swift-stdlib -Xlinker --build-id=sha1 \
	-Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs --scratch-path $(RELEASE_FOLDER)
BIN = $(RELEASE_FOLDER)/release

DESTDIR =
PREFIX = /usr/local
LIBDIR = $(PREFIX)/lib
MANDIR = $(PREFIX)/share/man
DOCDIR = $(PREFIX)/share/doc/posed
UNITDIR = $(PREFIX)/lib/systemd/system
SYSUSERSDIR = $(PREFIX)/lib/sysusers.d
RULESDIR = /etc/udev/rules.d
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
# README.md, what it links to, the guides, and the pictures of docs/web.md.
PAGES = README.md $(sort $(shell grep -oP '\]\x28\K[A-Za-z0-9_./-]+' README.md) \
	$(wildcard docs/guides/*.md docs/web-*.png))
# Without a terminal for the monitor: how many seconds plain lines are printed; 0 for ever.
RUN_SECONDS = 20
# The bare Debian of `make test-deb`; never below the temporary folder.
TEST_ROOT = $(CURDIR)/.build/debian-root
# What may run by itself, or be enabled; sockets first, as a client would start the service again.
UNITS = posed.socket posed-routing.socket posed.service posed-trigger.service posed-bridge.service posed-web.service
# Not empty: `make test` checks a part of the accuracy figures too.
ACCURACY =
# Not empty: `make test` fails where a test was skipped for something that can be had.
STRICT =

# The C client as a shared library. The number of its soname changes when a struct of posed_client.h grows, or one of a
# frame in posed.h: programs have these structs in their own memory.
CLIENT_VERSION = 0.1.0
CLIENT_SONAME = libposed-client.so.1
CLIENT_LIBRARY = $(BIN)/$(CLIENT_SONAME)

.PHONY: all run test nightly sanitize fuzz accuracy bench bench-check fleet lint format generated snapshots release \
	install install-c-client uninstall deb test-deb test-systemd clean

all: release

# Says what is missing before anything is installed or built. Not in scripts/packages, which root may run by hand:
# sudo has a PATH of its own.
.PHONY: compiler
compiler:
	@command -v swift >/dev/null || { \
		echo "Nothing was built: the program swift is not in PATH." >&2; \
		echo "Install Swift 6.3, and put its usr/bin into PATH: https://www.swift.org/install/linux/" >&2; \
		exit 1; }

## run: build, and show posed live, here and in a browser: with gpsd and an IMU if connected, otherwise simulated
run: release
	@scripts/run $(BIN) $(RUN_SECONDS)

## test: run every test; installs the packages they need
test: compiler
	@scripts/packages test
	@scripts/lint
	swift build --build-tests
	@scripts/test "$(ACCURACY)" "$(STRICT)"

## nightly: random drives, other seeds, hostile input, load and abuse, sanitizers, valgrind, some mutants; takes hours
nightly: compiler
	@scripts/packages test
	# Optimised, because the million sequences would take hours otherwise; this build has a separate folder.
	POSED_NIGHTLY=1 swift test --configuration release -Xswiftc -enable-testing --scratch-path .build/nightly \
		--filter "NightlyTests|HostileSequenceTests|SessionFuzzTests|IIOEnduranceTests|^FramesTests"
	# Whole modules are optimised here: the compiler may refuse what it takes in the tests' build.
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-routing
	$(RELEASE) --product posed-bridge
	$(RELEASE) --product posed-web
	$(RELEASE) --product posed-fleet
	$(RELEASE) --product posed-bench
	$(BIN)/posed-bench --only endurance --only soak --long --check
	$(RELEASE) --product posed-accuracy
	@scripts/accuracy $(BIN) --check
	scripts/fuzz --seconds 5
	swift build --product posed
	scripts/valgrind
	$(MAKE) sanitize
	# Fifty other seeds for each test with random numbers; and a tenth of the changes each night, so that ten nights make
	# them all. What is found in one does not keep the other from running.
	status=0; scripts/neighbours || status=1; \
		scripts/mutate --slice $$(( $$(date +%s) / 86400 % 10 + 1 ))/10 || status=1; exit $$status

## sanitize: run the suites under the thread sanitizer and under the address sanitizer, two more builds
sanitize: compiler
	@scripts/packages test
	scripts/sanitize thread
	scripts/sanitize address

## fuzz: fuzz every reader of bytes from outside until nothing new comes; takes hours
fuzz: compiler
	@scripts/packages build
	scripts/fuzz --coverage

## accuracy: measure the pose on the recordings beside the project and on simulated drives; writes docs/accuracy.md
accuracy: compiler
	@scripts/packages build
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-accuracy
	@scripts/accuracy $(BIN) --page docs/accuracy.md
	@scripts/figures

## bench: measure speed and size on this machine, and write docs/speed.md
bench: compiler
	@scripts/packages build
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-bench
	$(BIN)/posed-bench --page docs/speed.md
	@scripts/figures

## bench-check: the same, and fail where a figure is far over its limit
bench-check: compiler
	@scripts/packages build
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-bench
	$(BIN)/posed-bench --check

## fleet: measure 10,000 simulated boards, the delivery of a day off line, and the cost of a bridge, on this machine
fleet: compiler
	@scripts/packages test
	$(RELEASE) --product posed
	$(RELEASE) --product posed-bridge
	$(RELEASE) --product posed-fleet
	$(BIN)/posed-fleet

## lint: check format, sizes, columns, code that traps, and the titles of new commits
lint:
	@scripts/lint

## format: format all sources
format:
	swift format format --in-place --recursive --parallel Sources Tests bench fuzz

## generated: rewrite what is generated: settings, commands, states, frame fields, diagram, sample drive
generated:
	POSED_WRITE_GENERATED=1 swift test --filter 'GeneratedFilesTests|SampleDriveTests'
	swift build --product posed
	.build/debug/posed --print-sample > config/posed.yaml.new && mv config/posed.yaml.new config/posed.yaml
	.build/debug/posed --print-reference > docs/settings.md.new && mv docs/settings.md.new docs/settings.md
	POSED_GENERATE=1 swift test --filter '^FusionTests\.StateTableTests'
	scripts/module-diagram

## snapshots: rewrite the stored results of ten replays; explain their diff in the commit
snapshots:
	POSED_WRITE_SNAPSHOTS=1 swift test --filter '^SnapshotTests\.SnapshotTests/'
	git diff --stat -- Tests/SnapshotTests/Snapshots

## release: build the programs for installation, their manual pages and completions
release: compiler
	@scripts/packages build
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-routing
	$(RELEASE) --product posed-bridge
	$(RELEASE) --product posed-web
	@$(MAKE) --silent $(CLIENT_LIBRARY)
	scripts/manual $(BIN) $(BIN)/manual

$(CLIENT_LIBRARY): clients/c/posed_client.c clients/c/posed_client.h Sources/CPosed/include/posed.h
	@mkdir -p $(BIN)
	$(CC) -std=c99 -O2 -Wall -Wextra -fPIC -shared $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(CLIENT_SONAME) \
		-Wl,-z,defs -Iclients/c -ISources/CPosed/include -o $@ clients/c/posed_client.c

## install-c-client: only the C client: shared library, headers and posed-client.pc below $(PREFIX)
install-c-client: $(CLIENT_LIBRARY)
	install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 clients/c/posed_client.h Sources/CPosed/include/posed.h $(DESTDIR)$(PREFIX)/include
	install -m 755 $(CLIENT_LIBRARY) $(DESTDIR)$(LIBDIR)/$(CLIENT_SONAME)
	ln -sf $(CLIENT_SONAME) $(DESTDIR)$(LIBDIR)/libposed-client.so
	sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(CLIENT_VERSION)|' \
		clients/c/posed-client.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/posed-client.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/posed-client.pc

# Says what is missing before anything is installed.
.PHONY: built
built:
	@for file in posed posectl posed-routing posed-bridge posed-web manual/man/posed.8; do \
		[ -e $(BIN)/$$file ] || { \
			echo "Nothing was installed: $(BIN)/$$file does not exist." >&2; \
			echo "Run \`make release\` first, as the user who owns this folder; then \`sudo make install\`." >&2; \
			exit 1; }; \
	done

## install: programs, units, user, udev rule, manual, settings, clients below $(PREFIX); run `make release` first
install: built
	@$(MAKE) --silent install-c-client
	install -D -m 755 $(BIN)/posed $(DESTDIR)$(PREFIX)/bin/posed
	install -D -m 755 $(BIN)/posectl $(DESTDIR)$(PREFIX)/bin/posectl
	install -D -m 755 $(BIN)/posed-bridge $(DESTDIR)$(PREFIX)/bin/posed-bridge
	install -D -m 755 $(BIN)/posed-web $(DESTDIR)$(PREFIX)/bin/posed-web
	install -D -m 755 $(BIN)/posed-routing $(DESTDIR)$(PREFIX)/libexec/posed/posed-routing
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(PREFIX)/share/posed/drop-ins
	for unit in posed.socket posed.service posed-routing.socket posed-routing@.service posed-bridge.service \
		posed-web.service posed-trigger.service; do \
		sed 's|/usr/\(bin\|libexec\|share\)/posed|$(PREFIX)/\1/posed|' systemd/$$unit \
			> $(DESTDIR)$(UNITDIR)/$$unit && chmod 644 $(DESTDIR)$(UNITDIR)/$$unit || exit 1; \
	done
	install -m 644 systemd/drop-ins/*.conf $(DESTDIR)$(PREFIX)/share/posed/drop-ins
	# Not into /etc/apparmor.d: whoever wants it loads it (docs/security.md).
	install -D -m 644 packaging/apparmor/posed $(DESTDIR)$(PREFIX)/share/posed/apparmor/posed
	install -D -m 644 systemd/posed.sysusers $(DESTDIR)$(SYSUSERSDIR)/posed.conf
	install -D -m 644 udev/60-posed.rules $(DESTDIR)$(RULESDIR)/60-posed.rules
	install -D -m 644 config/posed.yaml $(DESTDIR)$(DOCDIR)/posed.yaml
	# The pages keep their places to each other, so that their links work.
	for page in $(PAGES); do install -D -m 644 $$page $(DESTDIR)$(DOCDIR)/$$page || exit 1; done
	for page in $(BIN)/manual/man/*; do \
		install -D -m 644 $$page $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/} || exit 1; \
	done
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 644 $(BIN)/manual/completions/bash/* $(DESTDIR)$(BASHDIR)
	install -m 644 $(BIN)/manual/completions/zsh/* $(DESTDIR)$(ZSHDIR)
	install -m 644 $(BIN)/manual/completions/fish/* $(DESTDIR)$(FISHDIR)
	install -d $(DESTDIR)$(PREFIX)/share/posed/samples/drive
	install -m 644 samples/drive/*.csv $(DESTDIR)$(PREFIX)/share/posed/samples/drive
	install -m 644 config/demo-route.json $(DESTDIR)$(PREFIX)/share/posed/samples/drive-route.json
	install -d $(DESTDIR)$(PREFIX)/share/posed/web/js
	install -m 644 web/*.html web/*.css web/*.svg $(DESTDIR)$(PREFIX)/share/posed/web
	install -m 644 web/js/*.js $(DESTDIR)$(PREFIX)/share/posed/web/js
	install -D -m 644 data/WMM.COF $(DESTDIR)$(PREFIX)/share/posed/WMM.COF
	install -d $(DESTDIR)$(PREFIX)/share/posed/fleet
	install -m 644 clients/fleet/* $(DESTDIR)$(PREFIX)/share/posed/fleet
	chmod 755 $(DESTDIR)$(PREFIX)/share/posed/fleet/certificates.sh
	install -d $(DESTDIR)$(PREFIX)/share/posed/clients/c $(DESTDIR)$(PREFIX)/share/posed/clients/python/posed_client
	install -m 644 clients/c/*.[ch] Sources/CPosed/include/posed.h $(DESTDIR)$(PREFIX)/share/posed/clients/c
	install -m 644 clients/python/*.py clients/python/pyproject.toml clients/python/README.md \
		$(DESTDIR)$(PREFIX)/share/posed/clients/python
	install -m 644 clients/python/posed_client/*.py clients/python/posed_client/py.typed \
		$(DESTDIR)$(PREFIX)/share/posed/clients/python/posed_client
	@echo "Installed. Next, as root: systemd-sysusers; systemctl daemon-reload; udevadm control --reload;"
	@echo "udevadm trigger --subsystem-match=iio;"
	@echo "systemctl enable --now posed.socket posed-routing.socket posed.service. Settings go into /etc/posed/posed.yaml;"
	@echo "$(DOCDIR)/posed.yaml lists them."

# Without its unit, a service that runs goes on, and the links of one that is enabled lead to nothing.
## uninstall: remove what `install` installed; settings are kept; stop posed first
uninstall:
	@used=; [ -n "$(DESTDIR)" ] || for unit in $(UNITS); do \
		place=$$(systemctl show --property=FragmentPath --value $$unit 2>/dev/null); \
		if [ "$$place" = "$(UNITDIR)/$$unit" ] && { systemctl --quiet is-active $$unit || \
			systemctl --quiet is-enabled $$unit; } 2>/dev/null; then used="$$used $$unit"; fi; \
	done; \
	[ -z "$$used" ] || { \
		echo "Nothing was removed: a unit runs, or is enabled. First:" >&2; \
		echo "sudo systemctl disable --now$$used" >&2; \
		exit 1; \
	}
	rm -f $(DESTDIR)$(PREFIX)/bin/posed $(DESTDIR)$(PREFIX)/bin/posectl $(DESTDIR)$(PREFIX)/bin/posed-bridge \
		$(DESTDIR)$(PREFIX)/bin/posed-web
	rm -rf $(DESTDIR)$(PREFIX)/libexec/posed
	rm -f $(DESTDIR)$(UNITDIR)/posed.socket $(DESTDIR)$(UNITDIR)/posed.service
	rm -f $(DESTDIR)$(UNITDIR)/posed-routing.socket $(DESTDIR)$(UNITDIR)/posed-routing@.service \
		$(DESTDIR)$(UNITDIR)/posed-bridge.service $(DESTDIR)$(UNITDIR)/posed-web.service \
		$(DESTDIR)$(UNITDIR)/posed-trigger.service
	rm -f $(DESTDIR)$(SYSUSERSDIR)/posed.conf $(DESTDIR)$(RULESDIR)/60-posed.rules
	rm -f $(DESTDIR)$(PREFIX)/include/posed.h $(DESTDIR)$(PREFIX)/include/posed_client.h
	rm -f $(DESTDIR)$(LIBDIR)/$(CLIENT_SONAME) $(DESTDIR)$(LIBDIR)/libposed-client.so \
		$(DESTDIR)$(LIBDIR)/pkgconfig/posed-client.pc
	rm -f $(DESTDIR)$(MANDIR)/man8/posed.8 $(DESTDIR)$(MANDIR)/man8/posed-routing.8 \
		$(DESTDIR)$(MANDIR)/man8/posed-bridge.8 $(DESTDIR)$(MANDIR)/man8/posed-web.8 \
		$(DESTDIR)$(MANDIR)/man1/posectl.1 $(DESTDIR)$(MANDIR)/man5/posed.yaml.5
	rm -f $(DESTDIR)$(BASHDIR)/posed $(DESTDIR)$(BASHDIR)/posectl $(DESTDIR)$(ZSHDIR)/_posed \
		$(DESTDIR)$(ZSHDIR)/_posectl $(DESTDIR)$(FISHDIR)/posed.fish $(DESTDIR)$(FISHDIR)/posectl.fish \
		$(DESTDIR)$(BASHDIR)/posed-bridge $(DESTDIR)$(ZSHDIR)/_posed-bridge $(DESTDIR)$(FISHDIR)/posed-bridge.fish \
		$(DESTDIR)$(BASHDIR)/posed-web $(DESTDIR)$(ZSHDIR)/_posed-web $(DESTDIR)$(FISHDIR)/posed-web.fish
	rm -rf $(DESTDIR)$(DOCDIR) $(DESTDIR)$(PREFIX)/share/posed

## deb: Debian packages of the programs in .build/deb; debug symbols in .build/deb/debug
deb: release
	@scripts/packages deb
	scripts/deb $(BIN) .build/deb

## test-deb: make the packages, and install, upgrade and purge them in a bare Debian root; needs root
test-deb: deb
	scripts/test-packages .build/deb $(TEST_ROOT)

## test-systemd: make the packages, and test them under systemd in a virtual machine with gpsd and sensors; needs root
test-systemd: deb
	@scripts/packages test
	packaging/guest/run .build/deb $(TEST_ROOT)-systemd

## clean: remove everything that was built
clean:
	rm -rf .build
