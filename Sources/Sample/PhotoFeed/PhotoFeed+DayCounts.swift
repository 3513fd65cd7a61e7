import Ashlar
import Foundation

/// The number of photos of each day, maintained in two ways so that the chart need not count.
///
/// ``DayCount`` is the talk's way: before each save, the app counts the objects that the context inserted and deleted.
/// Every context must run this code, and batch operations and other programs do not.
///
/// ``Day`` defines its count in the model as `posts.@count`, which triggers of the store maintain for every writer. A
/// post only needs its day. The chart reads this count.
extension PhotoFeed {
    /// Has a context keep the counts of ``DayCount`` in the same transaction as the posts that they count.
    static func keepDayCounts(in context: ModelContext) {
        context.observe(.willSave) { context, changes in
            var differences: [Date: Int64] = [:]
            for case let post as Post in changes.insertedModels {
                differences[Screen.startOfDay(post.timestamp), default: 0] += 1
            }
            for case let post as Post in changes.deletedModels {
                differences[Screen.startOfDay(post.timestamp), default: 0] -= 1
            }
            for case let post as Post in changes.updatedModels {
                guard let before = post.committedValues?.timestamp else { continue }
                differences[Screen.startOfDay(before), default: 0] -= 1
                differences[Screen.startOfDay(post.timestamp), default: 0] += 1
            }
            do {
                for (day, difference) in differences where difference != 0 {
                    let count = try context.fetchFirst(DayCount.where { $0.day == day }) ?? DayCount(day: day)
                    context.insert(count)
                    count.count += difference
                }
            } catch {
                print("The counts of days are not kept: \(error)")
            }
        }
    }

    /// The days from one to another. Missing ones are created.
    func makeDays(from first: Date, through last: Date) throws -> [Date: PersistentIdentifier] {
        var starts: [Date] = []
        var next = Screen.startOfDay(first)
        while next <= last {
            starts.append(next)
            // Not 24 hours, which some days do not have.
            next = Screen.startOfDay(next.addingTimeInterval(36 * 3600))
        }
        try context.batchInsert(contentsOf: starts.map { Day.Values(start: $0) }, onConflict: .ignore)
        let (begin, end) = (Screen.startOfDay(first), Screen.startOfDay(last))
        let days = try context.fetch(Day.where { $0.start >= begin && $0.start <= end })
        return Dictionary(uniqueKeysWithValues: days.map { ($0.start, $0.persistentModelID) })
    }

    /// Gives the posts of earlier versions of the model, which had no days, theirs: an update for each day.
    func assignDays() throws {
        Screen.title("Days of migrated posts")
        guard let first = try context.fetchFirst(Post.order { $0.timestamp.ascending }),
            let last = try context.fetchFirst(Post.order { $0.timestamp.descending })
        else { return }
        let time = try Screen.time {
            let days = try makeDays(from: first.timestamp, through: last.timestamp)
            var count = 0
            for (start, day) in days {
                let end = Screen.startOfDay(start.addingTimeInterval(36 * 3600))
                count += try context.batchUpdate(
                    Post.where { $0.timestamp >= start && $0.timestamp < end && $0.day == nil }
                ) {
                    $0.day = day
                }
            }
            return (count, days.count)
        }
        print(
            "\(time.result.0) posts were assigned to \(time.result.1) \(time.result.1 == 1 ? "day" : "days") in \(time.text)."
        )
    }

    /// Both counts of today while posts come and go, as objects and in a batch.
    func showBothCounts() throws {
        Screen.title("Two ways to keep a count")
        let writer = ModelContext(container)
        Self.keepDayCounts(in: writer)
        let start = Screen.startOfDay(.now)
        guard let today = try writer.fetchFirst(Day.where { $0.start == start }) else { return }
        let before = today.count
        func show(_ occasion: String) throws {
            let kept = try writer.fetchFirst(DayCount.where { $0.day == start })?.count ?? 0
            print("\(occasion): the triggers counted \(today.count - before) more, the hook \(kept)")
        }
        let posts = (0..<5).map { Post(timestamp: .now, title: "New \($0)", day: today) }
        for post in posts { writer.insert(post) }
        try writer.save()
        try show("after a save of five posts")
        writer.delete(posts[0])
        try writer.save()
        try show("after one was deleted")
        try writer.batchDelete(Post.where { $0.title.hasPrefix("New ") })
        try show("after a batch deleted the others, for which no hook runs")
    }
}
