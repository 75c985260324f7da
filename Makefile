# posed: what to do with a fresh clone. `make run` shows it; `make test` proves it.

# Release binaries carry the Swift library themselves: half the resident memory of the shared one, and nothing to
# install beside them.
# Those flags rebuild everything, so they have a folder of their own.
RELEASE_FOLDER = .build/release-static
RELEASE = swift build --configuration release --static-swift-stdlib --scratch-path $(RELEASE_FOLDER)
BIN = $(RELEASE_FOLDER)/release

DESTDIR =
PREFIX = /usr/local
# Where no terminal shows the monitor: for how many seconds plain lines are printed; 0 for ever.
RUN_SECONDS = 20

.PHONY: all run test nightly bench lint format generated snapshots release install uninstall clean

all: release

## run: build, and show posed live: with gpsd and an IMU where they are, else on a simulated drive
run: release
	@scripts/run $(BIN) $(RUN_SECONDS)

## test: every test there is; installs what they need
test:
	@scripts/packages test
	@scripts/lint
	swift build --build-tests
	# Real programs in real time, on a machine that does nothing else; then all the rest, side by side.
	swift test --skip-build --filter '^IntegrationTests\.'
	swift test --skip-build --skip '^IntegrationTests\.'

## nightly: random drives, a million hostile sequences, the sockets under load and abuse; half an hour
nightly:
	@scripts/packages build
	# Optimised, or the million would take hours; that build has a folder of its own.
	POSED_NIGHTLY=1 swift test --configuration release -Xswiftc -enable-testing --scratch-path .build/nightly \
		--filter "NightlyTests|HostileSequenceTests|^FramesTests"
	$(RELEASE) --product posed
	$(RELEASE) --product posed-bench
	$(BIN)/posed-bench --only endurance --long

## bench: the speed and size the README states, measured on this machine
bench:
	@scripts/packages build
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-bench
	$(BIN)/posed-bench

## lint: format, sizes, columns, what traps, and the titles of new commits
lint:
	@scripts/lint

## format: bring all sources into the one format
format:
	swift format format --in-place --recursive --parallel Sources Tests bench

## generated: write anew what tables and the manifest hold: settings, commands, states, frame fields, diagram
generated:
	POSED_WRITE_GENERATED=1 swift test --filter GeneratedFilesTests
	swift build --product posed
	.build/debug/posed --print-sample > config/posed.yaml.new && mv config/posed.yaml.new config/posed.yaml
	.build/debug/posed --print-reference > docs/settings.md.new && mv docs/settings.md.new docs/settings.md
	POSED_GENERATE=1 swift test --filter '^FusionTests\.StateTableTests'
	scripts/module-diagram

## snapshots: write the kept results of ten replays anew; explain their diff in the commit
snapshots:
	POSED_WRITE_SNAPSHOTS=1 swift test --filter '^SnapshotTests\.SnapshotTests/'
	git diff --stat -- Tests/SnapshotTests/Snapshots

## release: the programs, as they are installed
release:
	@scripts/packages build
	$(RELEASE) --product posed
	$(RELEASE) --product posectl
	$(RELEASE) --product posed-routing

## install: programs, units, user, udev rule, sample settings and clients below $(PREFIX); run `make release` first
install:
	install -D -m 755 $(BIN)/posed $(DESTDIR)$(PREFIX)/bin/posed
	install -D -m 755 $(BIN)/posectl $(DESTDIR)$(PREFIX)/bin/posectl
	install -D -m 755 $(BIN)/posed-routing $(DESTDIR)$(PREFIX)/libexec/posed/posed-routing
	install -D -m 644 systemd/posed.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/posed.socket
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|/usr/bin/posed|$(PREFIX)/bin/posed|; s|/usr/share/doc|$(PREFIX)/share/doc|' systemd/posed.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/posed.service
	install -D -m 644 systemd/posed-routing.socket $(DESTDIR)$(PREFIX)/lib/systemd/system/posed-routing.socket
	sed 's|/usr/libexec|$(PREFIX)/libexec|; s|/usr/share/doc|$(PREFIX)/share/doc|' systemd/posed-routing@.service \
		> $(DESTDIR)$(PREFIX)/lib/systemd/system/posed-routing@.service
	install -D -m 644 systemd/posed.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/posed.conf
	install -D -m 644 udev/60-posed.rules $(DESTDIR)/etc/udev/rules.d/60-posed.rules
	install -D -m 644 config/posed.yaml $(DESTDIR)$(PREFIX)/share/doc/posed/posed.yaml
	install -D -m 644 README.md $(DESTDIR)$(PREFIX)/share/doc/posed/README.md
	install -D -m 644 Sources/CPosed/include/posed.h $(DESTDIR)$(PREFIX)/include/posed.h
	install -d $(DESTDIR)$(PREFIX)/share/posed/clients/c $(DESTDIR)$(PREFIX)/share/posed/clients/python/posed_client
	install -m 644 clients/c/*.[ch] Sources/CPosed/include/posed.h $(DESTDIR)$(PREFIX)/share/posed/clients/c
	install -m 644 clients/python/*.py $(DESTDIR)$(PREFIX)/share/posed/clients/python
	install -m 644 clients/python/posed_client/*.py clients/python/posed_client/py.typed \
		$(DESTDIR)$(PREFIX)/share/posed/clients/python/posed_client
	@echo "Installed. Next, as root: systemd-sysusers; systemctl daemon-reload; udevadm control --reload;"
	@echo "udevadm trigger --subsystem-match=iio;"
	@echo "systemctl enable --now posed.socket posed-routing.socket posed.service. Settings go into /etc/posed/posed.yaml;"
	@echo "$(PREFIX)/share/doc/posed/posed.yaml lists them."

## uninstall: take away what `install` put there; settings stay
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/posed $(DESTDIR)$(PREFIX)/bin/posectl
	rm -rf $(DESTDIR)$(PREFIX)/libexec/posed
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/posed.socket \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/posed.service
	rm -f $(DESTDIR)$(PREFIX)/lib/systemd/system/posed-routing.socket \
		$(DESTDIR)$(PREFIX)/lib/systemd/system/posed-routing@.service
	rm -f $(DESTDIR)$(PREFIX)/lib/sysusers.d/posed.conf $(DESTDIR)/etc/udev/rules.d/60-posed.rules
	rm -f $(DESTDIR)$(PREFIX)/include/posed.h
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/posed $(DESTDIR)$(PREFIX)/share/posed

## clean: take away everything that was built
clean:
	rm -rf .build
