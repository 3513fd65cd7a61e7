import StoreDescription

/// The forms of text that derived attributes store.
public enum DerivedText {
    /// Returns a text in the form of an attribute derived by `canonical:(…)`: without case and diacritical marks.
    ///
    /// Compare such an attribute with user input in this form, so that its index finds the objects:
    ///
    /// ```swift
    /// Post.where { $0.titleKey.hasPrefix(DerivedText.canonical(field.text)) }
    /// ```
    public static func canonical(_ text: String) -> String {
        CanonicalText.folded(text, CanonicalForm.decomposed)
    }
}
