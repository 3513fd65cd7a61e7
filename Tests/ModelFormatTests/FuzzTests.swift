import DataModel
import Foundation
import ModelFormat
import RandomNumbers
import RandomSeeds
import Testing

@Suite("Mutations of a valid model")
struct FuzzTests {
    private static let valid = document(
        """
        <entity name="Post" representedClassName=".Post" syncable="YES">
            <attribute name="title" optional="YES" attributeType="String" defaultValueString="é &amp; è"/>
            <attribute name="likes" attributeType="Integer 64" defaultValueString="0" indexed="YES"/>
            <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"
                inverseName="posts" inverseEntity="Author"/>
            <fetchIndex name="byLikes"><fetchIndexElement property="likes" type="RTree"/></fetchIndex>
            <uniquenessConstraints><uniquenessConstraint><constraint value="title"/></uniquenessConstraint>
            </uniquenessConstraints><compoundIndexes><compoundIndex><index value="likes"/></compoundIndex>
            </compoundIndexes><userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Author" parentEntity="Base"><!-- a comment -->
            <relationship name="posts" toMany="YES" deletionRule="Cascade" destinationEntity="Post" inverseName="author"
                inverseEntity="Post"/>
        </entity>
        <entity name="Base" isAbstract="YES"/>
        """)

    private static let pieces = [
        "<", ">", "\"", "'", "/", "&", "&#0;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE a [", "]>",
        "\u{0}",
        "name=", "Post", "Author", "Base", "parentEntity=\"Author\"", "<entity name=\"x\">", "</entity>", "YES", "-1",
        "99999999999",
    ]

    @Test func noneCrashesOrHangs() {
        #expect(read(Self.valid).findings.isEmpty)
        let valid = Array(Self.valid.utf8)
        for seed in seeds(400) {
            var generator = SeededGenerator(seed: seed)
            var bytes = valid
            for _ in 0..<Int.random(in: 1...4, using: &generator) { Self.mutate(&bytes, &generator) }
            let (model, diagnostics) = ModelReader.read(contents: bytes, named: "Test", file: "contents")
            #expect(model != nil || diagnostics.hasErrors, "seed \(seed): is neither read nor reported")
            guard let model else { continue }
            _ = ModelChecker.check(model).sorted
            _ = VersionHash(model)
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: bytes.indices, using: &generator)
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        case 4: bytes.removeSubrange(place...)
        default:
            bytes.insert(contentsOf: pieces.randomElement(using: &generator).map { Array($0.utf8) } ?? [], at: place)
        }
    }
}
