import Ashlar
import Foundation

extension Questions {
    mutating func addValues() {
        addBooleans()
        addDates()
        add("data", format: "§data == %@", [Data([0])]) {
            $0.data == Data([0])
        } holds: {
            $0.object?.data == Data([0])
        }
        add("data in order") {
            $0.data > Data([0])
        } holds: {
            Answer.less(Data([0]).answer, Answer.of($0.object?.data))
        }
        add("empty data") {
            $0.data == Data()
        } holds: {
            $0.object?.data == Data()
        }
        let code = StockRoom.codes[1]
        add("UUID", format: "§code == %@", [code], predicate: #Predicate { $0.code == code }) {
            $0.code == code
        } holds: {
            $0.object?.code == code
        }
        add("UUID one of") {
            $0.code.isIn([code, nil])
        } holds: {
            [code, nil].contains($0.object?.code)
        }
        let link = StockRoom.links[0]
        add("URL", format: "§link == %@", [link], predicate: #Predicate { $0.link == link }) {
            $0.link == link
        } holds: {
            $0.object?.link == link
        }
        let ready = Kind.ready
        add("enumeration", format: "§kind == 'ready'", predicate: #Predicate { $0.kind == ready }) {
            $0.kind == .ready
        } holds: {
            $0.object?.kind == .ready
        }
        add("enumeration one of", format: "§kind IN {'raw', 'sold'}") {
            $0.kind.isIn([.raw, .sold])
        } holds: {
            $0.object.map { [.raw, .sold].contains($0.kind) } ?? false
        }
        add("composite is nil", format: "§place == nil", predicate: #Predicate { $0.place == nil }) {
            $0.place == nil
        } holds: {
            $0.object?.place == nil
        }
        add("composite is not nil", format: "§place != nil") {
            $0.place != nil
        } holds: {
            $0.object?.place != nil
        }
        add("leaf", format: "§place.x < 0") {
            $0.place.x < 0
        } holds: {
            $0.object?.place.map { $0.x < 0 } ?? false
        }
        add("leaf of text", format: "§place.label BEGINSWITH 'Ca'") {
            $0.place.label.hasPrefix("Ca")
        } holds: {
            PlainText.has($0.object?.place?.label, "Ca", .start)
        }
        add(value: "data's value") {
            $0.data
        } answer: {
            $0.object?.data
        }
        add(value: "code") {
            $0.code
        } answer: {
            $0.object?.code
        }
        add(value: "link") {
            $0.link
        } answer: {
            $0.object?.link
        }
        add(value: "kind") {
            $0.kind
        } answer: {
            $0.object?.kind
        }
        add(value: "x") {
            $0.place.x
        } answer: {
            $0.object?.place?.x
        }
        add(value: "label") {
            $0.place.label
        } answer: {
            $0.object?.place?.label
        }
    }

    private mutating func addBooleans() {
        add("flag", format: "§flag == YES", predicate: #Predicate { $0.flag }) {
            $0.flag.isTrue
        } holds: {
            $0.object?.flag == true
        }
        add("not flag", format: "NOT §flag == YES", predicate: #Predicate { !$0.flag }) {
            !$0.flag
        } holds: {
            $0.object?.flag != true
        }
        add("flag and flag") {
            $0.flag && $0.flag
        } holds: {
            $0.object?.flag == true
        }
        add("flag and condition") {
            $0.flag && $0.width > 0
        } holds: {
            $0.object.map { $0.flag && $0.width > 0 } ?? false
        }
        add("condition and flag") {
            $0.width > 0 && $0.flag
        } holds: {
            $0.object.map { $0.flag && $0.width > 0 } ?? false
        }
        add("flag or flag") {
            $0.flag || $0.flag
        } holds: {
            $0.object?.flag == true
        }
        add("flag or condition") {
            $0.flag || $0.width > 0
        } holds: {
            $0.object.map { $0.flag || $0.width > 0 } ?? false
        }
        add("condition or flag") {
            $0.width > 0 || $0.flag
        } holds: {
            $0.object.map { $0.flag || $0.width > 0 } ?? false
        }
        add("both", format: "§width > 0 AND §count < 3", predicate: #Predicate { $0.width > 0 && $0.count < 3 }) {
            $0.width > 0 && $0.count < 3
        } holds: {
            $0.object.map { $0.width > 0 && $0.count < 3 } ?? false
        }
        add("either", format: "§width > 0 OR §note == nil") {
            $0.width > 0 || $0.note == nil
        } holds: {
            $0.object.map { $0.width > 0 || $0.note == nil } ?? true
        }
        add("neither", format: "NOT (§width > 0 OR §note == nil)") {
            !($0.width > 0 || $0.note == nil)
        } holds: {
            $0.object.map { !($0.width > 0 || $0.note == nil) } ?? false
        }
        add("optional flag", format: "§mark == YES", predicate: #Predicate { $0.mark == true }) {
            $0.mark == true
        } holds: {
            $0.object?.mark == true
        }
        add("optional flag is not", format: "§mark != YES") {
            $0.mark != true
        } holds: {
            $0.object?.mark != true
        }
        add("flag or what it is for nil") {
            ($0.mark ?? true).isTrue
        } holds: {
            $0.object?.mark ?? true
        }
        add("always", format: "TRUEPREDICATE", holds: { _ in true })
        add("never", format: "FALSEPREDICATE", holds: { _ in false })
        add(value: "flag's value") {
            $0.flag
        } answer: {
            $0.object?.flag
        }
        add(value: "mark") {
            $0.mark
        } answer: {
            $0.object?.mark
        }
        add(value: "flag then columns") {
            $0.flag.then($0.width, else: $0.width + 1)
        } answer: {
            $0.object.map { $0.flag ? $0.width : $0.width + 1 }
        }
        add(value: "flag then column or value") {
            $0.flag.then($0.width, else: 9)
        } answer: {
            $0.object?.flag == true ? $0.object?.width : 9
        }
        add(value: "flag then value or column") {
            $0.flag.then(9, else: $0.width)
        } answer: {
            $0.object.map { $0.flag ? 9 : $0.width }
        }
        add(value: "condition then columns") {
            ($0.width > 0).then($0.name.optional, else: $0.note)
        } answer: {
            $0.object.flatMap { $0.width > 0 ? $0.name : $0.note }
        }
        add(value: "condition then column or value") {
            ($0.width > 0).then($0.name, else: "none")
        } answer: {
            $0.object.map { $0.width > 0 ? $0.name : "none" } ?? "none"
        }
        add(value: "condition then value or column") {
            ($0.note == nil).then("none", else: $0.name)
        } answer: {
            $0.object.map { $0.note == nil ? "none" : $0.name } ?? "none"
        }
    }

    private mutating func addDates() {
        let date = Date(timeIntervalSinceReferenceDate: 3600)
        add("date", format: "§date == %@", [date], predicate: #Predicate { $0.date == date }) {
            $0.date == date
        } holds: {
            $0.object?.date == date
        }
        add("before", format: "§due < %@", [date]) {
            $0.due < date
        } holds: {
            $0.object?.due.map { $0 < date } ?? false
        }
        add("from date to date", format: "§date BETWEEN %@", [date...(.distantFuture)]) {
            $0.date.isIn(date...(.distantFuture))
        } holds: {
            $0.object.map { $0.date >= date } ?? false
        }
        add("now", format: "§date < now()", holds: { $0.object.map { $0.date < .now } ?? false })
        add("later by") {
            $0.date.addingTimeInterval(3600) == date
        } holds: {
            $0.object?.date == Date(timeIntervalSinceReferenceDate: 0)
        }
        add(value: "date's value") {
            $0.date
        } answer: {
            $0.object?.date
        }
        add(value: "due") {
            $0.due
        } answer: {
            $0.object?.due
        }
        add(value: "an hour later") {
            $0.due.addingTimeInterval(3600.5)
        } answer: {
            $0.object?.due?.addingTimeInterval(3600.5)
        }
        add(value: "seconds since a date") {
            $0.date.timeIntervalSince(date)
        } answer: {
            $0.object?.date.timeIntervalSince(date)
        }
        add(value: "seconds since a column") {
            $0.due.timeIntervalSince($0.date.optional)
        } answer: { subject in
            subject.object.flatMap { object in object.due?.timeIntervalSince(object.date) }
        }
        add(value: "start of the day") {
            $0.date.start(of: .day, in: Self.berlin)
        } answer: {
            $0.object.map { Self.berlin.startOfDay(for: $0.date) }
        }
        add(value: "start of the month") {
            $0.due.start(of: .month, in: Self.berlin)
        } answer: {
            $0.object?.due.flatMap { Self.berlin.dateInterval(of: .month, for: $0)?.start }
        }
    }

    private static let berlin: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        return calendar
    }()
}
