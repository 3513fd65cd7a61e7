import DataModel

extension Rule {
    /// Findings in texts of the predicate format: derivations, index predicates and fetch requests.
    static let ofPredicates = [
        Rule(
            .invalidDerivation,
            #"\#(name)<attribute name="a" optional="YES" attributeType="String" derived="YES" derivationExpression="▸nme"/>"#
        ),
        Rule(
            .invalidDerivation,
            #"\#(name)<attribute name="a" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(▸nme)"/>"#
        ),
        Rule(
            .invalidDerivation,
            #"\#(name)<attribute name="a" optional="YES" ▸attributeType="Date" derived="YES" derivationExpression="name"/>"#,
            #"\#(name)<attribute name="a" optional="YES" attributeType="String" derived="YES" derivationExpression="name"/>"#
        ),
        Rule(
            .requiredDerivation,
            #"\#(name)▸<attribute name="a" attributeType="String" derived="YES" derivationExpression="name"/>"#,
            #"\#(name)<attribute name="a" optional="YES" attributeType="String" derived="YES" derivationExpression="name"/>"#
        ),
        Rule(
            .derivationCycle,
            #"▸<attribute name="a" optional="YES" attributeType="String" derived="YES" derivationExpression="b"/>"#
                + #"<attribute name="b" optional="YES" attributeType="String" derived="YES" derivationExpression="a"/>"#
        ),
        Rule(
            .invalidPredicate,
            #"\#(name)<fetchIndex name="i" partialIndexPredicate="name == &quot;a&quot; AND ▸nme == nil"><fetchIndexElement property="name" type="Binary" order="ascending"/></fetchIndex>"#
        ),
        Rule(
            .invalidPredicate,
            #"<entity name="Thing">\#(name)</entity><fetchRequest name="r" entity="Thing" predicateString="▸nme == $X"/>"#
        ),
        Rule(
            .invalidFetchRequest,
            #"<entity name="Thing">\#(name)</entity><fetchRequest name="r" ▸entity="Thin"/>"#,
            #"<entity name="Thing">\#(name)</entity><fetchRequest name="r" entity="Thing"/>"#),
    ]

    private static let name = #"<attribute name="name" optional="YES" attributeType="String"/>"#
}
