/// The contents of a Core Data store's tables, and their places in Ashlar's tables, written down table by table. Random
/// stores are made from this description, and imported stores are compared with it. It shares nothing with the
/// importer, which derives the places by rules.
struct StoredTables {
    /// The values of a column.
    enum Kind {
        case integer(ClosedRange<Int64>)
        case real, decimal, text, uri, uuid, data, external
        /// The number of a row of another table, of some entities; nil for all of them.
        case reference(String, Set<String>?)
        /// A position among the rows that refer to the same object in another column.
        case position(of: String)
        /// A value that is computed once all rows exist.
        case computed
    }

    struct Column {
        var name: String
        /// The column in Ashlar's table.
        var new: String
        var kind: Kind
        /// Whether every object has a value.
        var isRequired = false
        /// The entities whose objects have it; nil for all of the table.
        var entities: Set<String>?

        init(_ name: String, _ new: String, _ kind: Kind, isRequired: Bool = false, of entities: Set<String>? = nil) {
            (self.name, self.new, self.kind, self.isRequired, self.entities) = (name, new, kind, isRequired, entities)
        }
    }

    struct Table {
        var name: String
        var new: String
        /// The names of the entities with objects in it, by their numbers; the root's first, where it is not abstract.
        var entities: [(number: Int, name: String)]
        var columns: [Column]
        var oneToOne: OneToOne?
    }

    /// A one-to-one relationship between objects of one table. The old store has a column for either side.
    struct OneToOne {
        var column: String
        var new: String
        var entities: Set<String>
        var back: String
        var backEntities: Set<String>
        /// The column with the entity of the object at the other side.
        var backNumber: String?
    }

    /// Pairs: a table of them, or a column without an inverse in the destination's table.
    struct Pairs {
        var name: String
        var new: String
        var own: (column: String, table: String)
        var other: (column: String, table: String)
        /// The column of positions, in either.
        var order: String?
        /// Whether pairs lead both ways, and each is in the new store in both directions.
        var isReflexive = false
        /// Whether the old store has the pairs in a column of the objects that they lead to.
        var isColumn = false
    }

    var tables: [Table]
    var pairs: [Pairs]
    /// Statements that run once all rows exist.
    var last: [String] = []

    static let museum = StoredTables(
        tables: [
            Table(
                name: "ZITEM", new: "Item",
                entities: [(2, "Artwork"), (3, "Painting"), (4, "Fresco"), (5, "Specimen")],
                columns: [
                    Column("ZNAME", "name", .text, isRequired: true), Column("ZACQUIRED", "acquired", .real),
                    Column("ZWEIGHT", "weight", .real), Column("ZROOM", "room", .reference("ZROOM", nil)),
                    Column("ZARTIST", "artist", .reference("ZPERSON", nil), of: ["Artwork", "Painting", "Fresco"]),
                    Column(
                        "Z_FOK_ARTIST", "artist$order", .position(of: "ZARTIST"), of: ["Artwork", "Painting", "Fresco"]),
                    Column("ZNOTE", "Artwork$note", .text, of: ["Artwork", "Painting", "Fresco"]),
                    Column("ZNOTE1", "Specimen$note", .text, of: ["Specimen"]),
                    Column("ZHEIGHT", "height", .real, of: ["Painting", "Fresco"]),
                    Column("ZWIDTH", "width", .real, of: ["Painting", "Fresco"]),
                    Column("ZWALL", "wall", .text, of: ["Fresco"]),
                ],
                oneToOne: OneToOne(
                    column: "ZFRAME", new: "frame", entities: ["Painting", "Fresco"], back: "ZFRAMED",
                    backEntities: ["Specimen"], backNumber: "Z3_FRAMED")),
            Table(
                name: "ZPERSON", new: "Person", entities: [(6, "Person")],
                columns: [
                    Column("ZAGE", "age", .integer(-32768...32767)),
                    Column("ZCOUNT", "count", .integer(.min ... .max), isRequired: true),
                    Column("ZISALIVE", "isAlive", .integer(0...1), isRequired: true),
                    Column("ZSCORE", "score", .integer(-2_147_483_648...2_147_483_647)),
                    Column("ZSALARY", "salary", .decimal), Column("ZCITY", "address$city", .text),
                    Column("ZZIP", "address$zip", .integer(-2_147_483_648...2_147_483_647)),
                    Column("ZHOMEPAGE", "homepage", .uri), Column("ZNAME", "name", .text, isRequired: true),
                    Column("ZIDENTITY", "identity", .uuid), Column("ZPORTRAIT", "portrait", .external),
                    Column("ZSTAMP", "stamp", .data), Column("ZWORKSCOUNT", "worksCount", .computed),
                ],
                oneToOne: OneToOne(
                    column: "ZMENTOR", new: "mentor", entities: ["Person"], back: "ZPUPIL", backEntities: ["Person"])),
            Table(
                name: "ZROOM", new: "Room", entities: [(7, "Room")], columns: [Column("ZNUMBER", "number", .computed)]),
            Table(
                name: "ZTAG", new: "Keyword", entities: [(8, "Tag")],
                columns: [Column("ZLABEL", "label", .text, isRequired: true)]),
        ],
        pairs: [
            Pairs(
                name: "Z_1TAGS", new: "Item$tags", own: ("Z_1ITEMS", "ZITEM"), other: ("Z_8TAGS", "ZTAG"),
                order: "Z_FOK_8TAGS"),
            Pairs(
                name: "Z_6FRIENDOF", new: "Person$friendOf", own: ("Z_6FRIENDS", "ZPERSON"),
                other: ("Z_6FRIENDOF", "ZPERSON")),
        ],
        last: [
            "UPDATE ZROOM SET ZNUMBER = Z_PK * 7",
            "UPDATE ZPERSON SET ZWORKSCOUNT = (SELECT count(*) FROM ZITEM WHERE ZARTIST = ZPERSON.Z_PK)",
        ])

    static let harbour = StoredTables(
        tables: [
            Table(
                name: "ZCLERK", new: "Clerk", entities: [(1, "Clerk")],
                columns: [
                    Column("ZISONDUTY", "isOnDuty", .integer(0...1), isRequired: true),
                    Column("ZNAME", "name", .text, isRequired: true),
                ]),
            Table(
                name: "ZCRATE", new: "Crate", entities: [(2, "Crate")],
                columns: [Column("ZWEIGHT", "weight", .real), Column("ZLABEL", "label", .text, isRequired: true)]),
            Table(
                name: "ZDOCK", new: "Dock", entities: [(3, "Dock")],
                columns: [Column("ZNAME", "name", .text, isRequired: true)]),
            Table(
                name: "ZMEMO", new: "Memo", entities: [(4, "Memo")],
                columns: [
                    Column("ZCLERK", "clerk", .reference("ZCLERK", nil)),
                    Column("Z_FOK_CLERK", "clerk$order", .position(of: "ZCLERK")), Column("ZWRITTEN", "written", .real),
                    Column("ZTEXT", "text", .text, isRequired: true), Column("ZATTACHMENT", "attachment", .external),
                ]),
            Table(
                name: "ZSHIP", new: "Ship", entities: [(5, "Ship"), (6, "Steamer")],
                columns: [
                    Column("ZTONNAGE", "tonnage", .integer(-2_147_483_648...2_147_483_647)),
                    Column("ZBUILT", "built", .real), Column("ZCOAL", "coal", .real, of: ["Steamer"]),
                    Column("ZPRICE", "price", .decimal), Column("ZNAME", "name", .text, isRequired: true),
                ]),
            Table(
                name: "ZSTOP", new: "Stop", entities: [(7, "Stop")],
                columns: [Column("ZPLACE", "place", .text, isRequired: true), Column("ZPOSITION", "position", .uuid)]),
        ],
        pairs: [
            Pairs(
                name: "ZCRATE", new: "Dock$crates", own: ("Z3CRATES", "ZDOCK"), other: ("Z_PK", "ZCRATE"),
                isColumn: true),
            Pairs(
                name: "ZSTOP", new: "Dock$stops", own: ("Z3STOPS", "ZDOCK"), other: ("Z_PK", "ZSTOP"),
                order: "Z_FOK_3STOPS", isColumn: true),
            Pairs(
                name: "Z_5RIVALS", new: "Ship$rivals", own: ("REFLEXIVE", "ZSHIP"), other: ("Z_5RIVALS", "ZSHIP"),
                isReflexive: true),
            Pairs(
                name: "Z_5CONVOY", new: "Ship$convoy", own: ("REFLEXIVE", "ZSHIP"), other: ("Z_5CONVOY", "ZSHIP"),
                order: "Z_FOK_5CONVOY", isReflexive: true),
        ])
}
