import Ashlar
import AshlarSQLite
import Foundation
import Testing

/// A hierarchy: three levels, an abstract entity at the top, and a relationship to it.
enum MenagerieStore: KeptStore {
    static var model: any ManagedObjectModel.Type { MenagerieModel.self }

    static func fill(_ context: ModelContext) throws {
        let keeper = Keeper(name: "Ada")
        let hound = Hound(name: "Rex")
        (hound.legs, hound.breed) = (3, "Setter")
        let bird = Bird(name: "Kiwi")
        bird.span = 0.5
        context.insert(keeper)
        for creature in [hound, bird, Beast(name: "Elk")] { keeper.creatures.append(creature) }
        context.insert(Hound(name: "Stray"))
    }

    static func check(_ context: ModelContext) throws {
        let creatures = try context.fetch(Creature.order { $0.name.ascending })
        #expect(creatures.map(\.name) == ["Elk", "Kiwi", "Rex", "Stray"])
        #expect(creatures.map { "\(type(of: $0))" } == ["Beast", "Bird", "Hound", "Hound"])
        #expect(creatures.map { $0.keeper?.name } == ["Ada", "Ada", "Ada", nil])
        #expect(try context.fetch(Beast.order { $0.name.ascending }).map(\.legs) == [4, 3, 4])
        #expect(try context.fetch(Hound.order { $0.name.ascending }).map(\.breed) == ["Setter", nil])
        #expect(try context.fetch(Bird.all).map(\.span) == [0.5])
        #expect(try context.fetchCount(Beast.where { $0.legs == 4 && $0.keeper.name == "Ada" }) == 1)
    }

    static func edit(_ context: ModelContext) throws {
        let stray = try #require(try context.fetch(Hound.where { $0.name == "Stray" }).first)
        stray.keeper = try context.fetch(Keeper.all).first
        context.insert(Bird(name: "Emu"))
        for elk in try context.fetch(Beast.where { $0.name == "Elk" }) { context.delete(elk) }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let creatures = try context.fetch(Creature.order { $0.name.ascending })
        #expect(creatures.map(\.name) == ["Emu", "Kiwi", "Rex", "Stray"])
        #expect(try context.fetch(Keeper.all).first?.creatures.map(\.name).sorted() == ["Kiwi", "Rex", "Stray"])
    }
}

/// Relationships from one object to one, also to an object of the same entity.
enum RegistryStore: KeptStore {
    static var model: any ManagedObjectModel.Type { RegistryModel.self }

    static func fill(_ context: ModelContext) throws {
        let citizens = ["Ann", "Bob", "Cid"].map { Citizen(name: $0) }
        for citizen in citizens { context.insert(citizen) }
        for (citizen, number) in zip(citizens, [101, 102] as [Int64]) { citizen.passport = Passport(number: number) }
        citizens[0].spouse = citizens[1]
        context.insert(Passport(number: 103))
    }

    static func check(_ context: ModelContext) throws {
        let citizens = try context.fetch(Citizen.order { $0.name.ascending })
        #expect(citizens.map(\.name) == ["Ann", "Bob", "Cid"])
        #expect(citizens.map { $0.passport?.number } == [101, 102, nil])
        #expect(citizens.map { $0.spouse?.name } == ["Bob", "Ann", nil])
        let passports = try context.fetch(Passport.order { $0.number.ascending })
        #expect(passports.map { $0.holder?.name } == ["Ann", "Bob", nil])
        #expect(try context.fetch(Citizen.where { $0.passport.number == 102 }).map(\.name) == ["Bob"])
    }

    static func edit(_ context: ModelContext) throws {
        let citizens = try context.fetch(Citizen.order { $0.name.ascending })
        citizens[2].passport = citizens[1].passport
        citizens[2].spouse = citizens[0]
    }

    static func checkEdited(_ context: ModelContext) throws {
        let citizens = try context.fetch(Citizen.order { $0.name.ascending })
        #expect(citizens.map { $0.passport?.number } == [101, nil, 102])
        #expect(citizens.map { $0.spouse?.name } == ["Cid", nil, "Ann"])
    }
}

/// Two rows with a reference to the same object in a relationship from one to one, as two programs could leave them.
enum DoubledRegistryStore: KeptStore {
    static var model: any ManagedObjectModel.Type { RegistryModel.self }

    static func fill(_ context: ModelContext) throws { try RegistryStore.fill(context) }

    static func make(in folder: URL) async throws {
        do {
            let context = ModelContext(try open(in: folder))
            try fill(context)
            try context.save()
        }
        let url = configuration(in: folder).url
        let connection = try Connection(toWrite: url)
        // The third passport refers to Ann, as the first does, and Cid has Ann as the spouse.
        try connection.execute(
            "UPDATE Passport SET holder = (SELECT id$ FROM Citizen WHERE name = 'Ann') WHERE number = 103")
        try connection.execute(
            "UPDATE Citizen SET spouse = (SELECT id$ FROM Citizen WHERE name = 'Ann') WHERE name = 'Cid'")
    }

    static func check(_ context: ModelContext) throws {
        #expect(try context.fetch(Citizen.all).map(\.name).sorted() == ["Ann", "Bob", "Cid"])
        let passports = try context.fetch(Passport.order { $0.number.ascending })
        #expect(passports.map(\.number) == [101, 102, 103])
        #expect(passports[1].holder?.name == "Bob")
        // The newest passport stays Ann's, and the spouse that Ann refers to stays the spouse.
        #expect(passports.map { $0.holder?.name } == [nil, "Bob", "Ann"])
        let citizens = try context.fetch(Citizen.order { $0.name.ascending })
        #expect(citizens.map { $0.passport?.number } == [103, 102, nil])
        #expect(citizens.map { $0.spouse?.name } == ["Bob", "Ann", nil])
    }

    static func edit(_ context: ModelContext) throws {
        for passport in try context.fetch(Passport.all) where passport.number != 102 { passport.holder = nil }
        for citizen in try context.fetch(Citizen.all) { citizen.spouse = nil }
    }

    static func checkEdited(_ context: ModelContext) throws {
        let citizens = try context.fetch(Citizen.order { $0.name.ascending })
        #expect(citizens.map { $0.passport?.number } == [nil, 102, nil])
        #expect(citizens.map { $0.spouse?.name } == [nil, nil, nil])
    }
}

/// An ordered relationship to many, whose order has gaps.
enum JukeboxStore: KeptStore {
    static var model: any ManagedObjectModel.Type { JukeboxModel.self }

    static func fill(_ context: ModelContext) throws {
        let playlist = Playlist(title: "Road")
        context.insert(playlist)
        for title in ["A", "B", "C", "D"] { playlist.tracks.append(Track(title: title)) }
        try context.save()
        playlist.tracks.insert(Track(title: "E"), at: 1)
        playlist.tracks.move(playlist.tracks[4], to: 0)
        context.insert(Playlist(title: "Empty"))
        context.insert(Track(title: "Z"))
    }

    static func check(_ context: ModelContext) throws {
        let playlists = try context.fetch(Playlist.order { $0.title.ascending })
        #expect(playlists.map(\.title) == ["Empty", "Road"])
        #expect(playlists.map { $0.tracks.map(\.title) } == [[], ["D", "A", "E", "B", "C"]])
        #expect(try context.fetch(Track.where { $0.playlist == nil }).map(\.title) == ["Z"])
    }

    static func edit(_ context: ModelContext) throws {
        let road = try #require(try context.fetch(Playlist.where { $0.title == "Road" }).first)
        road.tracks.move(road.tracks[0], to: 4)
        road.tracks.remove(at: 1)
        road.tracks.insert(try #require(try context.fetch(Track.where { $0.title == "Z" }).first), at: 1)
    }

    static func checkEdited(_ context: ModelContext) throws {
        let road = try #require(try context.fetch(Playlist.where { $0.title == "Road" }).first)
        #expect(road.tracks.map(\.title) == ["A", "Z", "B", "C", "D"])
        #expect(try context.fetch(Track.where { $0.playlist == nil }).map(\.title) == ["E"])
    }
}

/// Relationships to many on both sides: without an order, with one on one side, and with itself.
enum CampusStore: KeptStore {
    static var model: any ManagedObjectModel.Type { CampusModel.self }

    static func fill(_ context: ModelContext) throws {
        let (ada, ben, cyd) = (Student(name: "Ada"), Student(name: "Ben"), Student(name: "Cyd"))
        for student in [ada, ben, cyd] { context.insert(student) }
        let (logic, music) = (Course(title: "Logic"), Course(title: "Music"))
        for course in [logic, music] { context.insert(course) }
        for student in [cyd, ada] { logic.students.append(student) }
        music.students.append(ada)
        ada.friends.insert(ben)
        for student in [cyd, ben] { ada.pupils.append(student) }
        let volumes = ["One", "Two", "Three"].map { Volume(title: $0) }
        for volume in volumes { ada.volumes.insert(volume, at: 0) }
        ben.volumes.append(volumes[1])
    }

    static func check(_ context: ModelContext) throws {
        let courses = try context.fetch(Course.order { $0.title.ascending })
        #expect(courses.map { $0.students.map(\.name) } == [["Cyd", "Ada"], ["Ada"]])
        let students = try context.fetch(Student.order { $0.name.ascending })
        #expect(students.map { $0.courses.map(\.title).sorted() } == [["Logic", "Music"], [], ["Logic"]])
        #expect(students.map { $0.friends.map(\.name) } == [["Ben"], ["Ada"], []])
        #expect(students.map { $0.pupils.map(\.name) } == [["Cyd", "Ben"], [], []])
        #expect(students.map { $0.mentors.map(\.name) } == [[], ["Ada"], ["Ada"]])
        #expect(students.map { $0.volumes.map(\.title) } == [["Three", "Two", "One"], ["Two"], []])
        let readers = try context.fetch(Volume.where { $0.title == "Two" }).first?.readers.map(\.name).sorted()
        #expect(readers == ["Ada", "Ben"])
    }

    static func edit(_ context: ModelContext) throws {
        let students = try context.fetch(Student.order { $0.name.ascending })
        let logic = try #require(try context.fetch(Course.where { $0.title == "Logic" }).first)
        logic.students.insert(students[1], at: 1)
        students[2].friends.insert(students[0])
        students[0].friends.remove(students[1])
        students[0].pupils.move(students[1], to: 0)
        students[0].volumes.remove(at: 1)
    }

    static func checkEdited(_ context: ModelContext) throws {
        let students = try context.fetch(Student.order { $0.name.ascending })
        let logic = try context.fetch(Course.where { $0.title == "Logic" }).first
        #expect(logic?.students.map(\.name) == ["Cyd", "Ben", "Ada"])
        #expect(students.map { $0.friends.map(\.name) } == [["Cyd"], [], ["Ada"]])
        #expect(students[0].pupils.map(\.name) == ["Ben", "Cyd"])
        #expect(students.map { $0.volumes.map(\.title) } == [["Three", "One"], ["Two"], []])
    }
}
