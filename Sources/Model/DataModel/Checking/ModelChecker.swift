/// Finds problems of a model beyond the form of its file: everything that Core Data would detect at run time.
///
/// The time is proportional to the size of the model, whatever its shape.
public struct ModelChecker {
    let model: Model
    let tree: EntityTree
    let composites: [String: Composite]
    var diagnostics = Diagnostics()
    private var remainingProposals = 50

    init(_ model: Model) {
        self.model = model
        tree = EntityTree(model.entities)
        composites = Dictionary(model.composites.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns all findings about a version of a model. Nothing may be generated from a version with errors.
    ///
    /// Features that this release does not support yet are reported too, as ``Diagnostic/Code/notSupported``.
    ///
    /// - Parameter isCurrent: Whether code is generated from it. Templates and fetched properties of other versions are
    ///   not checked: they are never compiled, and stores do not depend on them.
    public static func check(_ model: Model, isCurrent: Bool = true) -> Diagnostics {
        var checker = ModelChecker(model)
        checker.checkEntityNames()
        checker.checkRenamingIdentifiers()
        checker.checkParents()
        checker.checkComposites()
        for entity in model.entities {
            checker.checkPropertyNames(of: entity)
            checker.checkIndexNames(of: entity)
            for attribute in entity.attributes { checker.check(attribute, of: entity) }
            for relationship in entity.relationships { checker.check(relationship, of: entity) }
            checker.checkSync(of: entity)
            checker.checkRedundantIndexes(of: entity)
            checker.checkRedundantConstraints(of: entity)
            checker.checkRenamingIdentifiers(of: entity)
        }
        checker.checkMandatoryDestinations()
        checker.checkInherited()
        checker.checkDerivations()
        checker.checkIndexExpressions()
        checker.checkFullTextNames()
        if isCurrent { checker.checkFetchRequests() }
        checker.checkConfigurations()
        return isCurrent ? checker.diagnostics : checker.diagnostics.withoutFetchedProperties(of: model)
    }

    /// Walks the tree once, and checks everything that depends on inherited properties.
    private mutating func checkInherited() {
        let inverses = inverseQuestions()
        var scope = PropertyScope()
        for step in tree.steps {
            switch step {
            case .enter(let index):
                let entity = model.entities[index]
                checkRedeclarations(of: entity, in: scope)
                scope.enter(entity, at: index)
                checkTitle(of: entity, in: scope)
                for fetchIndex in entity.indexes { check(fetchIndex, of: entity, in: scope) }
                for constraint in entity.uniquenessConstraints { check(constraint, of: entity, in: scope) }
                for question in inverses[index] ?? [] { checkInverse(question, in: scope) }
            case .leave: scope.leave()
            }
        }
    }

    mutating func report(
        _ code: Diagnostic.Code, _ severity: Diagnostic.Severity? = nil, at location: SourceLocation, _ message: String,
        notes: [String?] = [], fixes: [Diagnostic.Fix?] = [], attribute attributeName: String? = nil
    ) {
        var diagnostic = Diagnostic(
            code, at: location, message, notes: notes.compactMap(\.self), fixes: fixes.compactMap(\.self),
            attribute: attributeName)
        if let severity { diagnostic.severity = severity }
        diagnostics.report(diagnostic)
    }

    /// A set of names among which a name may have been meant.
    enum Namespace {
        case entities, composites
        case properties(PropertyScope)
    }

    /// A name that may have been meant by one that does not exist.
    struct Proposal {
        var wrong: String
        var name: String
        /// Whether nothing else can have been meant: authors do not choose names that differ only in case.
        var isSure: Bool

        var note: String { "Did you mean '\(name)'?" }

        /// Writes the name to an attribute of an element.
        func fix(_ attributeName: String, of element: SourceLocation) -> Diagnostic.Fix {
            .setting(attributeName, to: name, of: element, isSafe: isSure)
        }

        /// A fix that replaces the wrong name everywhere in an element.
        func replacement(in element: SourceLocation) -> Diagnostic.Fix {
            Diagnostic.Fix(
                "Write '\(name)'", isSafe: isSure, [Diagnostic.Change(element, .replaceValue(wrong, with: name))])
        }
    }

    /// Returns the name that may have been meant; nil if none is close.
    mutating func proposal(for name: String, among namespace: Namespace) -> Proposal? {
        guard canPropose() else { return nil }
        let names =
            switch namespace {
            case .entities: model.entities.map(\.name)
            case .composites: model.composites.map(\.name)
            case .properties(let scope): scope.names
            }
        return Spelling.closest(to: name, among: names).map { closest in
            let folded = SQLiteName.folded(name)
            let isSure = SQLiteName.folded(closest) == folded && names.count { SQLiteName.folded($0) == folded } == 1
            return Proposal(wrong: name, name: closest, isSure: isSure)
        }
    }

    /// Returns whether one more finding may search the whole model.
    ///
    /// If every finding did so, the time would grow with the square of the model's size. An author with this many
    /// errors to correct needs no more proposals.
    mutating func canPropose() -> Bool {
        remainingProposals -= 1
        return remainingProposals >= 0
    }
}

extension Diagnostics {
    /// The findings without those about the names of fetched properties.
    fileprivate func withoutFetchedProperties(of model: Model) -> Diagnostics {
        let places = Set(model.entities.flatMap(\.fetchedProperties).map(\.location))
        if places.isEmpty { return self }
        var result = Diagnostics()
        for finding in all where !places.contains(finding.location) { result.report(finding) }
        return result
    }
}
