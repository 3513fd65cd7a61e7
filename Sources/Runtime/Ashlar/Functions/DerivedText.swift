import StoreDescription

/// Texts in the forms that derived attributes hold.
public enum DerivedText {
    /// A text as an attribute derived by `canonical:(…)` holds it: without regard to case and diacritical marks.
    ///
    /// Compare such an attribute with what people type, so that its index finds the objects:
    ///
    /// ```swift
    /// Post.where { $0.titleKey.hasPrefix(DerivedText.canonical(field.text)) }
    /// ```
    public static func canonical(_ text: String) -> String {
        CanonicalText.folded(text, CanonicalForm.decomposed)
    }
}
