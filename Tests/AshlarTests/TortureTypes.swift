import Foundation

/// Types that the Torture model names in its `userInfo`.
enum Mood: String, Codable, CaseIterable {
    case calm, furious
    case quoted = "it's \"odd\""
}

enum Level: Int16, Codable, CaseIterable {
    case low = -1
    case middle
    case high = 32767
}

struct Address: Codable, Hashable {
    var street: String
    var numbers: [Int]
    var note: String?
}
