import Foundation

/// Dates as text, where the text leads back to the same number of seconds.
package enum ExchangedDate {
    /// Seconds from 1970 to 2001.
    private static let reference = 978_307_200

    /// `2026-03-01T08:00:00.25Z`; nil for what has parts of a second that a text of six digits does not tell, and far from here.
    package static func text(_ seconds: Double) -> String? {
        guard seconds.isFinite, abs(seconds) < 60_000_000_000 else { return nil }
        let whole = seconds.rounded(.down)
        let parts = ((seconds - whole) * 1e6).rounded()
        guard parts < 1e6, whole + parts / 1e6 == seconds, !(seconds == 0 && seconds.sign == .minus) else { return nil }
        let total = Int(whole) + reference
        let (days, second) = (floorDivide(total, 86400), total - floorDivide(total, 86400) * 86400)
        let (year, month, day) = civil(days)
        guard (0...9999).contains(year) else { return nil }
        var fraction = parts == 0 ? "" : "." + pad(Int(parts), 6)
        while fraction.hasSuffix("0") { fraction.removeLast() }
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(second / 3600, 2)):\(pad(second / 60 % 60, 2)):"
            + "\(pad(second % 60, 2))\(fraction)Z"
    }

    /// The seconds of such a text; nil for any other.
    package static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            let digits = bytes[range]
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            return Int(String(decoding: digits, as: UTF8.self))
        }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return nil }
        let whole = Double(days * 86400 + hour * 3600 + minute * 60 + second - reference)
        let rest = bytes[19..<(bytes.count - 1)]
        if rest.isEmpty { return whole }
        guard rest.first == UInt8(ascii: "."), (2...7).contains(rest.count),
            let parts = number(rest.startIndex + 1..<rest.endIndex)
        else { return nil }
        var scale = 1.0
        for _ in 0..<(6 - (rest.count - 1)) { scale *= 10 }
        return whole + Double(parts) * scale / 1e6
    }

    private static func pad(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }

    private static func floorDivide(_ left: Int, _ right: Int) -> Int {
        left >= 0 ? left / right : -((right - 1 - left) / right)
    }

    /// The day of the Gregorian calendar, from days since 1970: years begin in March here, so that a leap day is the last.
    private static func civil(_ days: Int) -> (Int, Int, Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }

    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
