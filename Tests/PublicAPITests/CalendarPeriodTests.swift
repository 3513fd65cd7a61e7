import Ashlar
import Foundation
import Testing

/// Dates grouped by the days and months of a calendar, in its time zone.
@Suite struct CalendarPeriodTests {
    private let library: Library
    private var context: ModelContext { library.context }

    init() throws { library = try Library(isEmpty: true) }

    private func calendar(_ zone: String) throws -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: zone))
        return calendar
    }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private func add(_ dates: [Date]) {
        for date in dates { context.insert(Book(added: date, title: "")) }
    }

    /// The starts of the days, with the number of dates in each.
    private func days(_ calendar: Calendar) throws -> [(Date, Int)] {
        try context.fetch(
            Book.all.group { $0.added.start(of: .day, in: calendar) }
                .select { ($0.added.start(of: .day, in: calendar), .count) }
                .order { $0.added.start(of: .day, in: calendar) })
    }

    @Test func aDayOfSummerTimeIsNotThatOfWinter() throws {
        // Half past midnight of 1 July in Berlin is still 30 June an hour west of it.
        add(try [date("2024-06-30T22:30:00Z"), date("2024-06-30T21:30:00Z"), date("2024-01-31T22:30:00Z")])
        let expected = try [
            (date("2024-01-30T23:00:00Z"), 1), (date("2024-06-29T22:00:00Z"), 1), (date("2024-06-30T22:00:00Z"), 1),
        ]
        let unsaved = try days(calendar("Europe/Berlin"))
        #expect(unsaved.map(\.0) == expected.map(\.0) && unsaved.map(\.1) == expected.map(\.1))
        try context.save()
        let saved = try days(calendar("Europe/Berlin"))
        #expect(saved.map(\.0) == expected.map(\.0) && saved.map(\.1) == expected.map(\.1))
    }

    @Test func aDayMayBeginAtOneOClock() throws {
        // In São Paulo 4 November 2018 had no midnight, and 17 February 2018 had the hour before midnight twice.
        add(
            try [
                "2018-11-04T02:59:59Z", "2018-11-04T03:00:00Z", "2018-11-05T01:59:59Z", "2018-11-05T02:00:00Z",
                "2018-02-18T01:30:00Z", "2018-02-18T02:30:00Z", "2018-02-18T03:00:00Z",
            ].map(date))
        try context.save()
        let found = try days(calendar("America/Sao_Paulo"))
        let starts = try [
            "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z", "2018-11-03T03:00:00Z", "2018-11-04T03:00:00Z",
            "2018-11-05T02:00:00Z",
        ].map(date)
        #expect(found.map(\.0) == starts && found.map(\.1) == [2, 1, 1, 2, 1])
    }

    /// Every quarter of an hour around each change of the clocks in some years, and some dates far away.
    @Test(arguments: [
        "Europe/Berlin", "America/Sao_Paulo", "America/St_Johns", "Pacific/Apia", "Africa/Cairo", "Asia/Kathmandu",
        "GMT",
    ])
    func everyDayIsThatOfTheCalendar(_ zone: String) throws {
        let calendar = try calendar(zone)
        var dates = [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: -1e10)]
        var change = try date("1986-01-01T00:00:00Z")
        while let next = calendar.timeZone.nextDaylightSavingTimeTransition(after: change), next < .now,
            dates.count < 5000
        {
            dates += (-104...104).map { next.addingTimeInterval(Double($0) * 900) }
            change = next
        }
        try context.batchInsert(contentsOf: dates.map { Book.Values(added: $0, title: "") })
        for component in [Calendar.Component.day, .weekOfYear, .month, .year, .hour] {
            let found = try context.fetch(
                Book.order { $0.persistentModelID }.select { $0.added.start(of: component, in: calendar) })
            let expected = dates.compactMap { calendar.dateInterval(of: component, for: $0)?.start }
            #expect(found == expected, "\(component)")
        }
        let days = try context.fetch(
            Book.order { $0.persistentModelID }.select { $0.added.start(of: .day, in: calendar) })
        #expect(days == dates.map { calendar.startOfDay(for: $0) })
    }

    @Test func conditionsAndOrdersTakeThePeriod() throws {
        let calendar = try calendar("Europe/Berlin")
        add(try [date("2024-06-30T22:30:00Z"), date("2024-07-31T21:30:00Z"), date("2024-07-31T22:30:00Z")])
        let july = try date("2024-06-30T22:00:00Z")
        let inJuly = Book.where { $0.added.start(of: .month, in: calendar) == july }
        #expect(try context.fetchCount(inJuly) == 2)
        try context.save()
        #expect(try context.fetchCount(inJuly) == 2)
        #expect(try context.batchUpdate(inJuly) { $0.pages = 7 } == 2)
    }

    @Test func aComponentWithoutPeriodsIsRefused() throws {
        let calendar = try calendar("GMT")
        #expect(throws: FetchError.self) {
            try context.fetch(Book.order { $0.added.start(of: .weekday, in: calendar) })
        }
    }
}
