import Foundation

/// Dates as text, if the text can be converted back to the same number of seconds.
package enum ExchangedDate {
    /// Seconds from 1970 to 2001.
    private static let reference = 978_307_200

    /// Returns `2026-03-01T08:00:00.25Z`; nil for times with finer parts of a second than six digits, and for distant
    /// times.
    package static func text(_ seconds: Double) -> String? {
        var text = TextBytes()
        return write(seconds, to: &text) ? String(decoding: text.bytes, as: UTF8.self) : nil
    }

    /// Writes the text of a date; returns false if there is none.
    static func write(_ seconds: Double, to text: inout TextBytes) -> Bool {
        guard seconds.isFinite, abs(seconds) < 60_000_000_000 else { return false }
        let whole = seconds.rounded(.down)
        let parts = ((seconds - whole) * 1e6).rounded()
        guard parts < 1e6, whole + parts / 1e6 == seconds, !(seconds == 0 && seconds.sign == .minus) else {
            return false
        }
        let total = Int(whole) + reference
        let (days, second) = (floorDivide(total, 86400), total - floorDivide(total, 86400) * 86400)
        let (year, month, day) = civil(days)
        guard (0...9999).contains(year) else { return false }
        text.write(year, digits: 4)
        text.write("-")
        text.write(month, digits: 2)
        text.write("-")
        text.write(day, digits: 2)
        text.write("T")
        text.write(second / 3600, digits: 2)
        text.write(":")
        text.write(second / 60 % 60, digits: 2)
        text.write(":")
        text.write(second % 60, digits: 2)
        if parts > 0 {
            var (fraction, digits) = (Int(parts), 6)
            while fraction % 10 == 0 { (fraction, digits) = (fraction / 10, digits - 1) }
            text.write(".")
            text.write(fraction, digits: digits)
        }
        text.write("Z")
        return true
    }

    /// The seconds of such a text; nil for any other.
    package static func seconds(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { seconds($0) }
    }

    private static func seconds(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var number = 0
            for digit in bytes[range] {
                guard (0x30...0x39).contains(digit) else { return nil }
                number = number * 10 + Int(digit - 0x30)
            }
            return number
        }
        func has(_ mark: UInt8, _ position: Int) -> Bool { bytes[position] == mark }
        guard has(0x2D, 4), has(0x2D, 7), has(0x54, 10), has(0x3A, 13), has(0x3A, 16), let year = number(0..<4),
            let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        let days = days(year, month, day)
        guard civil(days) == (year, month, day) else { return nil }
        let whole = Double(days * 86400 + hour * 3600 + minute * 60 + second - reference)
        let end = bytes.count - 1
        if end == 19 { return whole }
        guard has(0x2E, 19), (2...7).contains(end - 19), let parts = number(20..<end) else { return nil }
        var scale = 1.0
        for _ in 0..<(26 - end) { scale *= 10 }
        return whole + Double(parts) * scale / 1e6
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
