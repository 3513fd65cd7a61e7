import DataModel

extension Rule {
    /// Findings about relationships and inheritance.
    static let ofRelationships = [
        Rule(
            .unknownParent, #"<entity name="A"/><entity name="Bee" ▸parentEntity="Vehicle"/>"#,
            #"<entity name="A"/><entity name="Bee"/>"#),
        Rule(
            .unknownParent, #"<entity name="Base"/><entity name="B" ▸parentEntity="base"/>"#,
            #"✓ <entity name="Base"/><entity name="B" parentEntity="Base"/>"#,
            #"<entity name="Base"/><entity name="B"/>"#),
        Rule(
            .inheritanceCycle, #"<entity name="A" ▸parentEntity="B"/><entity name="B" parentEntity="A"/>"#,
            #"<entity name="A"/><entity name="B" parentEntity="A"/>"#),
        Rule(
            .unknownDestination, #"<relationship name="r" ▸destinationEntity="Think"/>"#,
            #"<relationship name="r" destinationEntity="Thing"/>"#),
        Rule(
            .unknownInverse,
            pair("inverseName=\"posts\" ▸inverseEntity=\"author\"", "inverseName=\"author\" inverseEntity=\"Post\""),
            "✓ "
                + pair(
                    "inverseName=\"posts\" inverseEntity=\"Author\"", "inverseName=\"author\" inverseEntity=\"Post\"")),
        Rule(
            .unknownInverse,
            pair("▸inverseName=\"post\" inverseEntity=\"Author\"", "inverseName=\"author\" inverseEntity=\"Post\""),
            "✓ "
                + pair(
                    "inverseName=\"posts\" inverseEntity=\"Author\"", "inverseName=\"author\" inverseEntity=\"Post\"")),
        Rule(
            .unknownInverse, pair("▸inverseName=\"post\" inverseEntity=\"Author\"", ""),
            pair("inverseName=\"posts\" inverseEntity=\"Author\"", ""),
            pair(
                "inverseName=\"post\" inverseEntity=\"Author\"", "",
                #"<relationship name="post" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Post" inverseName="author" inverseEntity="Post"/>"#
            )),
        Rule(
            .unknownInverse,
            #"\#(p)<relationship name="r" destinationEntity="Thing" ▸inverseName="p" inverseEntity="Thing"/>"#,
            #"\#(p)<relationship name="r" destinationEntity="Thing"/>"#),
        Rule(
            .unknownInverse,
            #"\#(p)<relationship name="r" destinationEntity="Thing" ▸inverseName="p" inverseEntity="Thing"/>\#(relationship("s", "r"))"#,
            #"✓ \#(p)\#(relationship("r", "s"))\#(relationship("s", "r"))"#),
        Rule(
            .inverseMismatch,
            #"<relationship name="r" destinationEntity="Thing" ▸inverseName="q" inverseEntity="Thing"/>\#(relationship("q", "t"))\#(relationship("s", "r"))\#(relationship("t", "q"))"#,
            relationship("r", "s") + relationship("q", "t") + relationship("s", "r") + relationship("t", "q"),
            relationship("r", "q") + relationship("q", "r") + relationship("s", "r") + relationship("t", "q")),
        // A third relationship claims one of a correct pair, which the first fix leaves as it is.
        Rule(
            .inverseMismatch,
            #"<relationship name="u" destinationEntity="Thing" ▸inverseName="q" inverseEntity="Thing"/>\#(relationship("q", "t"))\#(relationship("t", "q"))"#,
            #"<relationship name="u" destinationEntity="Thing"/>\#(relationship("q", "t"))\#(relationship("t", "q"))"#,
            relationship("u", "q") + relationship("q", "u") + relationship("t", "q")),
        Rule(
            .unknownInverse,
            pair("inverseName=\"posts\" ▸inverseEntity=\"Post\"", "inverseName=\"author\" inverseEntity=\"Post\""),
            "✓ "
                + pair(
                    "inverseName=\"posts\" inverseEntity=\"Author\"", "inverseName=\"author\" inverseEntity=\"Post\"")),
        Rule(
            .inverseMismatch, pair("▸inverseName=\"posts\" inverseEntity=\"Author\"", ""),
            "✓ "
                + pair(
                    "inverseName=\"posts\" inverseEntity=\"Author\"", "inverseName=\"author\" inverseEntity=\"Post\""),
            pair("", "")),
        Rule(
            .missingInverse,
            "<entity name=\"A\">\n  ▸<relationship name=\"r\" destinationEntity=\"B\"/>\n</entity>\n<entity name=\"B\"/>\n",
            "<entity name=\"A\">\n  <relationship name=\"r\" destinationEntity=\"B\" inverseName=\"as\" inverseEntity=\"B\"/>\n"
                + "</entity>\n<entity name=\"B\">\n    <relationship name=\"as\" optional=\"YES\" toMany=\"YES\" deletionRule=\"Nullify\" "
                + "destinationEntity=\"A\" inverseName=\"r\" inverseEntity=\"A\"/>\n</entity>\n"),
        Rule(
            .missingInverse,
            #"<entity name="A">▸<relationship name="r" toMany="YES" destinationEntity="B"/></entity><entity name="B"><relationship name="a" destinationEntity="A"/></entity>"#,
            #"<entity name="A"><relationship name="r" toMany="YES" destinationEntity="B" inverseName="a" inverseEntity="B"/></entity><entity name="B"><relationship name="a" destinationEntity="A" inverseName="r" inverseEntity="A"/></entity>"#
        ),
        Rule(
            .orderedToOne, #"<relationship name="r" ▸ordered="YES" maxCount="1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" maxCount="1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" ordered="YES" toMany="YES" destinationEntity="Thing"/>"#),
        Rule(
            .contradictoryCount, #"<relationship name="r" ▸maxCount="5" destinationEntity="Thing"/>"#,
            #"<relationship name="r" maxCount="5" toMany="YES" destinationEntity="Thing"/>"#,
            #"<relationship name="r" maxCount="1" destinationEntity="Thing"/>"#),
        Rule(
            .contradictoryCount, #"<relationship name="r" toMany="YES" ▸maxCount="1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" maxCount="1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" toMany="YES" destinationEntity="Thing"/>"#),
        Rule(
            .invalidValue,
            #"<relationship name="r" toMany="YES" ▸minCount="3" maxCount="2" destinationEntity="Thing"/>"#,
            #"<relationship name="r" toMany="YES" minCount="2" maxCount="3" destinationEntity="Thing"/>"#,
            #"<relationship name="r" toMany="YES" minCount="2" maxCount="2" destinationEntity="Thing"/>"#),
        Rule(
            .invalidValue, #"<relationship name="r" ▸minCount="2" maxCount="1" destinationEntity="Thing"/>"#,
            #"<relationship name="r" minCount="1" maxCount="1" destinationEntity="Thing"/>"#),
        Rule(
            .noAction,
            #"<relationship name="r" ▸deletionRule="No Action" destinationEntity="Thing" inverseName="r" inverseEntity="Thing"/>"#,
            #"<relationship name="r" deletionRule="Nullify" destinationEntity="Thing" inverseName="r" inverseEntity="Thing"/>"#
        ),
        Rule(
            .constraintOnMandatoryDestination,
            "▸" + mandatory(""), mandatory(" optional=\"YES\"")),
    ]

    /// Findings about indexes and constraints.
    static let ofIndexes = [
        Rule(
            .unknownIndexProperty, #"\#(p)<fetchIndex name="i"><fetchIndexElement ▸property="P"/></fetchIndex>"#,
            #"✓ \#(p)\#(index("i", "p"))"#, p),
        Rule(
            .unknownIndexProperty,
            #"\#(p)<compoundIndexes><compoundIndex><index value="p"/>▸<index value="P"/></compoundIndex></compoundIndexes>"#,
            #"✓ \#(p)<compoundIndexes><compoundIndex><index value="p"/><index value="p"/></compoundIndex></compoundIndexes>"#,
            #"\#(p)<compoundIndexes><compoundIndex><index value="p"/></compoundIndex></compoundIndexes>"#),
        Rule(.invalidIndex, .warning, #"▸<fetchIndex name="i"/>"#, "✓ "),
        Rule(
            .invalidIndex,
            #"\#(x)▸<fetchIndex name="i"><fetchIndexElement property="x"/><fetchIndexElement property="y" type="RTree"/></fetchIndex>"#,
            #"\#(x)<fetchIndex name="i"><fetchIndexElement property="x" type="Binary"/><fetchIndexElement property="y" type="Binary"/></fetchIndex>"#,
            #"\#(x)<fetchIndex name="i"><fetchIndexElement property="x" type="RTree"/><fetchIndexElement property="y" type="RTree"/></fetchIndex>"#
        ),
        Rule(
            .invalidIndex, #"\#(p)<fetchIndex name="i"><fetchIndexElement ▸property="p" type="RTree"/></fetchIndex>"#,
            #"\#(p)<fetchIndex name="i"><fetchIndexElement property="p" type="Binary"/></fetchIndex>"#),
        Rule(
            .invalidIndex,
            #"\#(x)<fetchIndex name="i"><fetchIndexElement property="x" type="RTree"/><fetchIndexElement ▸property="x" type="RTree"/></fetchIndex>"#,
            #"\#(x)<fetchIndex name="i"><fetchIndexElement property="x" type="RTree"/></fetchIndex>"#),
        Rule(
            .invalidIndex,
            fullText(
                #"<fetchIndex name="i"><fetchIndexElement property="p"/><fetchIndexElement ▸property="n"/></fetchIndex>"#
            ),
            fullText(#"<fetchIndex name="i"><fetchIndexElement property="p"/></fetchIndex>"#)),
        Rule(
            .invalidIndex,
            fullText(
                #"<fetchIndex name="i"><fetchIndexElement property="p"/><fetchIndexElement ▸property="p"/></fetchIndex>"#
            ),
            fullText(#"<fetchIndex name="i"><fetchIndexElement property="p"/></fetchIndex>"#)),
        Rule(
            .invalidIndex, fullText(index("i", "p"), #"▸<entry key="ashlar.index.i.tokenizer" value="portr"/>"#),
            fullText(index("i", "p"), #"<entry key="ashlar.index.i.tokenizer" value="porter"/>"#),
            fullText(index("i", "p"))),
        Rule(
            .invalidIndex, fullText(index("i", "p"), #"▸<entry key="ashlar.index.i.prefixes" value="2, x"/>"#),
            fullText(index("i", "p"))),
        Rule(
            .invalidIndex, fullText(index("i", "p"), #"▸<entry key="ashlar.index.j.weights" value="2"/>"#),
            fullText(index("i", "p"))),
        Rule(
            .invalidIndex,
            #"<attribute name="p" attributeType="String"><userInfo>▸<entry key="ashlar.index" value="full text"/></userInfo></attribute>"#,
            #"<attribute name="p" attributeType="String"><userInfo><entry key="ashlar.index" value="fulltext"/></userInfo></attribute>"#,
            #"<attribute name="p" attributeType="String"><userInfo></userInfo></attribute>"#),
        Rule(
            .unknownKey, .warning,
            fullText(index("i", "p"), #"<entry ▸key="ashlar.index.i.tokeniser" value="porter"/>"#),
            fullText(index("i", "p"), #"<entry key="ashlar.index.i.tokenizer" value="porter"/>"#),
            fullText(index("i", "p"))),
        Rule(
            .invalidIndex, .warning,
            #"\#(p)<attribute name="t" transient="YES" attributeType="String"/><fetchIndex name="i"><fetchIndexElement property="p"/><fetchIndexElement ▸property="t"/></fetchIndex>"#,
            #"\#(p)<attribute name="t" transient="YES" attributeType="String"/>\#(index("i", "p"))"#),
        Rule(
            .invalidIndex, .warning,
            oneToOne(#"<fetchIndex name="i"><fetchIndexElement ▸property="head"/></fetchIndex>"#),
            oneToOne("")),
        Rule(
            .redundantIndex, #"\#(x)▸\#(index("i", "x"))\#(index("j", "x", "y"))"#, #"\#(x)\#(index("j", "x", "y"))"#),
        Rule(.redundantIndex, #"\#(x)\#(index("i", "x"))▸\#(index("j", "x"))"#, #"\#(x)\#(index("i", "x"))"#),
        Rule(
            .invalidConstraint,
            #"\#(p)<uniquenessConstraints>▸<uniquenessConstraint><constraint value="P"/></uniquenessConstraint></uniquenessConstraints>"#,
            #"✓ \#(p)\#(unique("p"))"#, p),
        Rule(
            .invalidConstraint, .warning,
            #"\#(p)<uniquenessConstraints>▸<uniquenessConstraint/></uniquenessConstraints>"#,
            p),
        Rule(
            .invalidConstraint,
            oneToOne(
                #"<uniquenessConstraints>▸<uniquenessConstraint><constraint value="head"/></uniquenessConstraint></uniquenessConstraints>"#
            ), oneToOne("")),
        Rule(
            .redundantConstraint,
            #"\#(x)<uniquenessConstraints>▸<uniquenessConstraint><constraint value="x"/><constraint value="y"/></uniquenessConstraint><uniquenessConstraint><constraint value="x"/></uniquenessConstraint></uniquenessConstraints>"#,
            #"\#(x)\#(unique("x"))"#),
        Rule(.notSupported, #"▸<attribute name="a" attributeType="ObjectID"/>"#),
    ]

    /// An entity with a full-text index `i` and further entries.
    private static func fullText(_ index: String, _ entries: String = "") -> String {
        #"\#(p)<attribute name="n" attributeType="Integer 16"/>\#(index)<userInfo><entry key="ashlar.index.i" value="fulltext"/>\#(entries)</userInfo>"#
    }

    private static let x = #"<attribute name="x" attributeType="Double"/><attribute name="y" attributeType="Double"/>"#

    private static func unique(_ name: String) -> String {
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(name)\"/></uniquenessConstraint></uniquenessConstraints>"
    }

    /// A post with its author; each with attributes of the relationship.
    private static func pair(_ author: String, _ posts: String, _ more: String = "") -> String {
        func tail(_ text: String) -> String { text.isEmpty ? "" : " " + text }
        return
            #"<entity name="Post"><relationship name="author" optional="YES" maxCount="1" destinationEntity="Author"\#(tail(author))/></entity>"#
            + #"<entity name="Author">\#(more)<relationship name="posts" optional="YES" toMany="YES" destinationEntity="Post"\#(tail(posts))/></entity>"#
    }

    private static func relationship(_ name: String, _ inverse: String) -> String {
        #"<relationship name="\#(name)" destinationEntity="Thing" inverseName="\#(inverse)" inverseEntity="Thing"/>"#
    }

    /// A body has a head, which has the column.
    private static func oneToOne(_ more: String) -> String {
        #"<entity name="Body"><relationship name="head" optional="YES" maxCount="1" deletionRule="Cascade" destinationEntity="Head" inverseName="body" inverseEntity="Head"/>\#(more)</entity>"#
            + #"<entity name="Head"><relationship name="body" optional="YES" maxCount="1" destinationEntity="Body" inverseName="head" inverseEntity="Body"/></entity>"#
    }

    private static func mandatory(_ more: String) -> String {
        #"<relationship name="r"\#(more) destinationEntity="Thing" inverseName="s" inverseEntity="Thing"/>"#
            + #"<relationship name="s" optional="YES" toMany="YES" destinationEntity="Thing" inverseName="r" inverseEntity="Thing"/>"#
            + p + unique("p")
    }
}
