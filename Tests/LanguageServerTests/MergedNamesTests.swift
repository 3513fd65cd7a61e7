import Foundation
import Testing

@testable import LanguageServer

/// Names in models that are made of several bundles.
@Suite struct MergedNamesTests {
    private let folder: ModelFolder
    private let client: TestClient
    private let shop: String
    private let accounts: String
    private static let order = contents(
        """
            <entity name="Order">
                <relationship name="customer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Customer" inverseName="orders" inverseEntity="Customer"/>
            </entity>
            <fetchRequest name="of" entity="Order" predicateString="customer.mail == $MAIL"/>
        """)
    private static let customer = contents(
        """
            <entity name="Customer">
                <attribute name="mail" attributeType="String"/>
                <relationship name="orders" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Order" inverseName="customer" inverseEntity="Order"/>
            </entity>
        """)

    init() throws {
        folder = try ModelFolder()
        client = try TestClient()
        shop = FileURI.uri(try folder.writeBundle("Shop", ["Shop": Self.order])[0])
        accounts = FileURI.uri(try folder.writeBundle("Accounts", ["Accounts": Self.customer])[0])
        try folder.write(
            #"{"merges": {"Accounts.xcdatamodeld": {"Shop": "Accounts"}}}"#, to: "Shop.xcdatamodeld/ashlar.json")
    }

    private func mark(_ place: String, in text: String) -> String {
        text.replacing(first: place.filter { $0 != "|" }, with: place)
    }

    @Test func definitionsAndReferencesAreInTheOtherBundle() throws {
        let place = mark("customer.ma|il", in: Self.order)
        let definition = try client.ask("textDocument/definition", shop, place).array
        #expect(definition.map { $0["uri"] } == [.string(accounts)])
        #expect(definition.first?["range"]["start"]["line"] == 3)
        let references = try client.ask("textDocument/references", shop, place).array
        #expect(references.map { $0["uri"] } == [.string(shop), .string(accounts)])
        let hover = try client.ask("textDocument/hover", shop, place)
        #expect(hover["contents"]["value"].string?.contains("var mail: String") == true)
    }

    @Test func aRenameChangesBothBundles() throws {
        client.open(shop, Self.order)
        let edit = try client.ask(
            "textDocument/rename", accounts, mark("\"ma|il\"", in: Self.customer), ["newName": "address"])
        let changes = edit["documentChanges"].array
        #expect(changes.map { $0["textDocument"]["uri"] } == [.string(accounts), .string(shop)])
        #expect(changes.map { $0["textDocument"]["version"] } == [1, 1])
        #expect(
            applying(changes[0]["edits"].array, to: Self.customer)
                == Self.customer.replacing(first: "mail", with: "address"))
        #expect(
            applying(changes[1]["edits"].array, to: Self.order) == Self.order.replacing(first: "mail", with: "address"))
    }

    @Test func aBundleThatIsNotOpenIsRenamedToo() throws {
        let edit = try client.ask(
            "textDocument/rename", shop, mark("name=\"cust|omer\"", in: Self.order), ["newName": "buyer"])
        let changes = edit["documentChanges"].array
        #expect(changes.map { $0["textDocument"]["uri"] } == [.string(accounts), .string(shop)])
        #expect(changes.map { $0["textDocument"]["version"] } == [.null, 1])
        #expect(
            applying(changes[0]["edits"].array, to: Self.customer)
                == Self.customer.replacing(first: "inverseName=\"customer\"", with: "inverseName=\"buyer\""))
    }

    /// Edits have places in the text as it is written, which a repair would move.
    @Test func aBrokenFileIsNotRenamedIn() throws {
        client.open(accounts, Self.customer.replacing(first: "<attribute ", with: "<attribute name=\""))
        let (text, position) = marked(mark("name=\"cust|omer\"", in: Self.order))
        client.open(shop, text)
        let answer = try client.answer(
            "textDocument/rename",
            ["textDocument": ["uri": .string(shop)], "position": position, "newName": "buyer"])
        #expect(answer["error"]["message"].string?.contains("cannot be edited") == true)
    }
}
