import AshlarSQLite
import Synchronization
import SystemFoundation

/// The periods of a calendar, such as its days, for a function in SQL.
///
/// The function's argument describes a kind of period as text: the component, and the calendar as JSON.
enum CalendarPeriod {
    /// A kind of period, and the last found period of the kind, which consecutive rows often share.
    private struct Kind {
        let component: Calendar.Component
        let calendar: Calendar
        var last = 0.0..<0.0

        mutating func start(of seconds: Double) -> Double? {
            if last.contains(seconds) { return last.lowerBound }
            guard let period = period(of: seconds) else { return nil }
            let (start, end) = (period.lowerBound, period.upperBound)
            // If a time zone skipped a day, weeks of the calendar overlap. A date must not get the week of the previous
            // row.
            if self.period(of: start)?.lowerBound == start, self.period(of: end - 0.5)?.lowerBound == start {
                last = period
            }
            return start
        }

        private func period(of seconds: Double) -> Range<Double>? {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            guard let interval = calendar.dateInterval(of: component, for: date) else { return nil }
            let start = interval.start.timeIntervalSinceReferenceDate
            return start..<max(start, interval.end.timeIntervalSinceReferenceDate)
        }
    }

    private static let known = Mutex<[String: Kind]>([:])
    private static let maximumCount = 64

    /// The greatest distance from 2001, some 3,000 years. A date beyond it is the start of its own period.
    private static let greatestDistance = 1e11

    private static let components: [(name: String, component: Calendar.Component)] = [
        ("year", .year), ("quarter", .quarter), ("month", .month), ("weekOfYear", .weekOfYear),
        ("weekOfMonth", .weekOfMonth), ("yearForWeekOfYear", .yearForWeekOfYear), ("day", .day), ("hour", .hour),
        ("minute", .minute), ("second", .second),
    ]

    /// Returns the text of a kind of period; nil for a component that has no periods.
    static func text(_ component: Calendar.Component, _ calendar: Calendar) -> String? {
        guard let name = components.first(where: { $0.component == component })?.name else { return nil }
        // A calendar that follows the user's settings could give different periods for the rows of one statement.
        var fixed = Calendar(identifier: calendar.identifier)
        fixed.timeZone = TimeZone(identifier: calendar.timeZone.identifier) ?? calendar.timeZone
        fixed.locale = calendar.locale.map { Locale(identifier: $0.identifier) }
        fixed.firstWeekday = calendar.firstWeekday
        fixed.minimumDaysInFirstWeek = calendar.minimumDaysInFirstWeek
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(fixed) else { return nil }
        return name + " " + String(decoding: data, as: UTF8.self)
    }

    /// Returns the start of the period that contains a date.
    static func start(_ date: SQLiteValue, _ text: SQLiteValue) -> SQLiteValue {
        guard let seconds = date.number, case .text(let text) = text else { return .null }
        if abs(seconds) > greatestDistance { return .real(seconds) }
        return known.withLock { known in
            if known[text] == nil {
                guard let kind = kind(text) else { return .null }
                if known.count >= maximumCount { known.removeAll() }
                known[text] = kind
            }
            return SQLiteValue(known[text]?.start(of: seconds))
        }
    }

    private static func kind(_ text: String) -> Kind? {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let component = components.first(where: { $0.name == parts[0] })?.component,
            let calendar = try? JSONDecoder().decode(Calendar.self, from: Data(parts[1].utf8))
        else { return nil }
        return Kind(component: component, calendar: calendar)
    }
}
