@_spi(Generated) import Ashlar
import Foundation
import GeneratorPipeline
import PlannedModel

@testable import StoreChecking

/// A model with all parts that the check of a store covers, and a store of it with a few rows.
enum CheckedShop {
    static let elements = """
            <entity name="Person">
                <attribute name="name" attributeType="String" minValueString="2" maxValueString="20" \
        regularExpressionString="[A-Z].*" defaultValueString="Xx"/>
                <attribute name="age" attributeType="Integer 16" minValueString="0" maxValueString="150" \
        defaultValueString="0"/>
                <attribute name="price" optional="YES" attributeType="Decimal" minValueString="0" maxValueString="99.5"/>
                <attribute name="born" optional="YES" attributeType="Date" minDateTimeInterval="0"/>
                <attribute name="key" optional="YES" attributeType="UUID"/>
                <attribute name="link" optional="YES" attributeType="URI"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="latitude" attributeType="Double" defaultValueString="0"/>
                <attribute name="longitude" attributeType="Double" defaultValueString="0"/>
                <attribute name="folded" optional="YES" attributeType="String" derived="YES" \
        derivationExpression="canonical:(name)"/>
                <attribute name="orderCount" optional="YES" attributeType="Integer 64" derived="YES" \
        derivationExpression="orders.@count"/>
                <attribute name="note" optional="YES" attributeType="String">
                    <userInfo><entry key="ashlar.index" value="fulltext"/></userInfo>
                </attribute>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" \
        destinationEntity="Person" inverseName="friends" inverseEntity="Person"/>
                <relationship name="orders" optional="YES" toMany="YES" ordered="YES" maxCount="3" deletionRule="Nullify" \
        destinationEntity="Purchase" inverseName="customer" inverseEntity="Purchase"/>
                <relationship name="badge" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Badge" \
        inverseName="owner" inverseEntity="Badge"/>
                <relationship name="spare" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Badge" \
        inverseName="holder" inverseEntity="Badge"/>
                <relationship name="tags" optional="YES" toMany="YES" ordered="YES" deletionRule="Nullify" \
        destinationEntity="Tag" inverseName="people" inverseEntity="Tag"/>
                <fetchIndex name="byPlace">
                    <fetchIndexElement property="latitude" type="RTree" order="ascending"/>
                    <fetchIndexElement property="longitude" type="RTree" order="ascending"/>
                </fetchIndex>
                <fetchIndex name="byAge"><fetchIndexElement property="age" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/></uniquenessConstraint>\
        </uniquenessConstraints>
            </entity>
            <entity name="Employee" parentEntity="Person">
                <attribute name="salary" attributeType="Integer 32" minValueString="1" defaultValueString="1"/>
                <relationship name="sales" optional="YES" toMany="YES" minCount="2" deletionRule="Nullify" \
        destinationEntity="Purchase" inverseName="seller" inverseEntity="Purchase"/>
            </entity>
            <entity name="Purchase">
                <attribute name="sum" optional="YES" attributeType="Double"/>
                <relationship name="customer" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="orders" inverseEntity="Person"/>
                <relationship name="seller" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Employee" \
        inverseName="sales" inverseEntity="Employee"/>
            </entity>
            <entity name="Badge">
                <attribute name="number" attributeType="Integer 64" defaultValueString="0"/>
                <relationship name="owner" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="badge" inverseEntity="Person"/>
                <relationship name="holder" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="spare" inverseEntity="Person"/>
            </entity>
            <entity name="Tag">
                <attribute name="title" optional="YES" attributeType="String"/>
                <relationship name="people" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Person" \
        inverseName="tags" inverseEntity="Person"/>
            </entity>
            <composite name="Place">
                <attribute name="street" attributeType="String"/>
                <attribute name="floor" optional="YES" attributeType="Integer 64"/>
            </composite>
        """

    static let rows = [
        """
        INSERT INTO Person (id$, entity$, name, age, price, born, key, link, latitude, longitude, note, salary,
            "place$$present", "place$street")
        VALUES (1, NULL, 'Ada', 30, '12.5', 5.5, x'000102030405060708090a0b0c0d0e0f', 'https://example.com', 1.5, 2.5,
                'red house', NULL, 1, 'Main'),
            (2, NULL, 'Bea', 0, NULL, NULL, NULL, NULL, -3.25, 100.125, 'blue house', NULL, NULL, NULL),
            (3, 'Employee', 'Cleo', 150, '0', NULL, NULL, NULL, 0, 0, NULL, 9, NULL, NULL),
            (4, 'Employee', 'Zo\u{e9}', 40, '99.5', NULL, NULL, NULL, 0.1, 0.2, 'green', 8, NULL, NULL)
        """,
        """
        INSERT INTO Purchase (id$, sum, customer, "customer$order", seller)
        VALUES (1, 1.5, 1, 10, 3), (2, 2.5, 1, 20, 3), (3, NULL, 2, 5, NULL)
        """,
        "INSERT INTO Badge (id$, number, owner, holder) VALUES (1, 7, 1, NULL), (2, 8, 2, 1)",
        "INSERT INTO Tag (id$, title) VALUES (1, 'a'), (2, 'b'), (3, NULL)",
        "INSERT INTO \"Person$tags\" (source$, target$, target$order) VALUES (1, 1, 5), (1, 2, 3), (2, 2, 1)",
        "INSERT INTO \"Person$friends\" (source$, target$) VALUES (1, 2), (2, 1), (3, 3)",
    ]

    /// The checker of a model's current version.
    static func checker(_ model: String) throws -> StoreChecker {
        let (plan, diagnostics) = ModelPlan.make(modelPath: model)
        guard let plan, let version = plan.versions.last else { throw TestStore.NoModel(findings: "\(diagnostics)") }
        return StoreChecker(
            CheckedModel(
                plan.schema, description: .describing(plan.schema), versionHash: version.hash.versionHash,
                schemaHash: version.hash.schemaHash))
    }
}

extension CheckedShop {
    /// The model with the entities that the history needs, and the versions that open a store.
    static func described(_ model: String) throws -> ModelDescription {
        let (plan, diagnostics) = ModelPlan.make(modelPath: model)
        guard let plan else { throw TestStore.NoModel(findings: "\(diagnostics)") }
        let planned = ModelDescription(plan)
        return ModelDescription(
            name: planned.name, entities: ModelDescription.describing(plan.schema).entities, versions: planned.versions,
            schema: planned.schema, firstSchema: planned.firstSchema)
    }
}
