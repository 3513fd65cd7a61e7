import Ashlar
import Foundation
import RandomNumbers

/// Stores of a model with every deletion rule, every form of relationship, inheritance, a composite, derived
/// attributes, and uniqueness constraints.
enum Guilds {
    struct NoValue: Error {}

    /// The model's bundle.
    static var modelPath: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Models/Guild.xcdatamodeld").path
    }

    /// Makes a store with a random graph.
    static func fill(_ url: URL, _ random: inout SeededGenerator) throws {
        let context = ModelContext(try ModelContainer(for: GuildModel.self, at: url))
        let guilds = (0..<3).map { Guild(name: "Guild \($0)") }
        let halls = (0..<4).map { Hall(name: "Hall \($0)") }
        let skills = (0..<4).map { Skill(name: "Skill \($0)") }
        guilds[0].seat = Place(street: nil, town: "Lübeck")
        for guild in guilds { context.insert(guild) }
        for hall in halls {
            context.insert(hall)
            if !random.oneIn(4) { hall.guild = guilds[random.number(0..<3)] }
            for _ in 0..<random.number(0..<3) { context.insert(Tool(weight: 1.5, hall: hall)) }
        }
        for skill in skills { context.insert(skill) }
        var members: [Member] = []
        for number in 0..<10 {
            let member: Member
            if random.oneIn(3) {
                let master = Master(name: "Master \(number)")
                context.insert(master)
                let hall = halls[random.number(0..<4)]
                if hall.masters.count < 3 { master.hall = hall }
                member = master
            } else {
                member = Member(name: "Member \(number)", wage: Decimal(number))
                context.insert(member)
            }
            if !random.oneIn(4) { member.guild = guilds[random.number(0..<3)] }
            if !random.oneIn(3) { member.mentor = members.randomElement(using: &random) }
            if random.oneIn(2) { member.badge = Badge(code: Int64(number)) }
            member.skills = ToMany(skills.shuffled(using: &random).prefix(random.number(0..<4)))
            members.append(member)
        }
        for number in 0..<4 { context.insert(Chapter(number: Int16(number), guild: guilds[random.number(0..<3)])) }
        try context.save()
    }

    /// An object as a program makes it.
    static func new(_ entity: String, _ name: String?, _ guild: Guild?) throws -> any PersistentModel {
        switch entity {
        case "Guild": return Guild(name: name ?? "")
        case "Member": return Member(name: name ?? "Nobody")
        case "Master": return Master(name: name ?? "Nobody")
        case "Skill": return Skill(name: name ?? "")
        case "Hall": return Hall(name: name)
        case "Badge": return Badge()
        case "Tool": return Tool()
        case "Chapter":
            guard let guild else { throw NoValue() }
            return Chapter(guild: guild)
        default: throw NoValue()
        }
    }

    /// The value that a text stands for in a property.
    static func value(_ text: String?, _ name: String) throws -> Any? {
        guard let text else { return nil }
        func value<Value>(_ value: Value?) throws -> Value {
            guard let value else { throw NoValue() }
            return value
        }
        switch name {
        case "name": return text
        case "number": return try value(Int16(text))
        case "rank": return try value(Int32(text))
        case "code": return try value(Int64(text))
        case "weight": return try value(Double(text))
        case "wage": return try value(Double(text).flatMap { _ in Decimal(string: text) })
        case "key": return try value(UUID(uuidString: text))
        case "isActive": return try value(Bool(text))
        case "since":
            if let seconds = Double(text) { return Date(timeIntervalSinceReferenceDate: seconds) }
            return try value(try? Date(text, strategy: .iso8601))
        default: throw NoValue()
        }
    }

    /// The entity that a relationship to one object leads to.
    static func destination(of name: String) -> String {
        ["guild": "Guild", "mentor": "Member", "owner": "Member", "badge": "Badge", "hall": "Hall"][name] ?? ""
    }

    /// Adds an object to a relationship to many, at its end, or takes it away.
    static func change(
        _ owner: any PersistentModel, _ name: String, _ other: any PersistentModel, isAdded: Bool
    ) throws {
        func changed<Element: PersistentModel>(_ members: ToMany<Element>) throws -> ToMany<Element> {
            guard let member = other as? Element else { throw NoValue() }
            return ToMany(members.filter { $0 !== member } + (isAdded ? [member] : []))
        }
        switch (owner, name) {
        case (let guild as Guild, "members"): guild.members = try changed(guild.members)
        case (let guild as Guild, "halls"): guild.halls = try changed(guild.halls)
        case (let guild as Guild, "chapters"): guild.chapters = try changed(guild.chapters)
        case (let member as Member, "pupils"): member.pupils = try changed(member.pupils)
        case (let member as Member, "skills"): member.skills = try changed(member.skills)
        case (let skill as Skill, "holders"): skill.holders = try changed(skill.holders)
        case (let hall as Hall, "masters"): hall.masters = try changed(hall.masters)
        case (let hall as Hall, "tools"): hall.tools = try changed(hall.tools)
        default: throw NoValue()
        }
    }
}
