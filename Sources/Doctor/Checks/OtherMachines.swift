extension DoctorFacts {
    /// The time after a start in which a connection to another machine may take so long, seconds.
    private static let connectionSeconds = 30.0

    /// The command that lets posed.service connect to other machines.
    static let openNetwork =
        "sudo install -D -m 644 /usr/share/posed/drop-ins/remote-host.conf "
        + "/etc/systemd/system/posed.service.d/remote-host.conf && sudo systemctl daemon-reload "
        + "&& sudo systemctl restart posed"

    /// Whether a name of a host means this machine.
    static func isHere(_ host: String) -> Bool {
        // The third one is that of the machine's own name on Debian.
        ["localhost", "127.0.0.1", "127.0.1.1", "::1"].contains(host)
    }

    /// Whether the sandbox of posed.service keeps the daemon from a host that the doctor reaches: no source of that
    /// kind is open, not even one that waits for data, and no drop-in opens the sandbox.
    func isKept(from host: String, kind: String) -> Bool {
        guard isManaged, !hasNetworkDropIn, !Self.isHere(host), !host.hasPrefix("127."), let status = daemon.status,
            status.uptimeSeconds > Self.connectionSeconds
        else { return false }
        return !status.streaming.union(status.open).contains { $0.hasPrefix(kind) }
    }
}
