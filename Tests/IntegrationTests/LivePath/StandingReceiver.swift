import Foundation

/// The NMEA 0183 sentences of a receiver that stands still, once per second.
enum StandingReceiver {
    /// 48.1 degrees north, 11.5 degrees east.
    static let latitudeDegrees = 48.1
    static let longitudeDegrees = 11.5

    /// The sentences of one second; the time is the wall clock's, as of a receiver with a good view of the sky.
    static func epoch(at date: Date) -> [UInt8] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "UTC") ?? calendar.timeZone
        let now = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let time = [now.hour, now.minute, now.second].map { twoDigits($0 ?? 0) }.joined() + ".00"
        let day = [now.day, now.month, (now.year ?? 0) % 100].map { twoDigits($0 ?? 0) }.joined()
        let place = "4806.00000,N,01130.00000,E"
        let sentences = [
            "GPRMC,\(time),A,\(place),0.00,,\(day),,,A", "GPGGA,\(time),\(place),1,10,0.9,504.0,M,46.0,M,,",
            "GPGSA,A,3,02,05,07,09,13,15,18,20,24,29,,,1.6,0.9,1.3", "GPGST,\(time),3.0,2.0,2.0,0.0,2.0,2.0,4.0",
        ]
        return sentences.flatMap { Array(sentence($0).utf8) }
    }

    private static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(UInt8(0), ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
