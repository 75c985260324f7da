/// The examination of this machine.
package enum Examination {
    /// Collects the facts and judges them. Takes at most 10 s.
    package static func report(_ options: DoctorOptions) -> DoctorReport {
        DoctorReport(judging: FactCollector(options).collect())
    }
}
