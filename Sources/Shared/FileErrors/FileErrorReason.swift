import SystemFoundation

/// The reason for which the file system refused something, in the words of the system: `No such file or directory`.
///
/// Without a better text, Foundation's own descriptions name a domain and a number (`NSCocoaErrorDomain error 512`),
/// and on Linux they mostly do. All messages of Ashlar about files use this type.
public enum FileErrorReason {
    /// The reason of an error of the file system's, without a full stop; the text of any other error.
    public static func text(_ error: any Error) -> String {
        if let number = systemNumber(error) { return String(cString: strerror(number)) }
        guard let error = error as? CocoaError else { return otherText(error) }
        // The defect of a JSON file, and its place.
        if let text = error.userInfo["NSDebugDescription"] as? String { return text }
        if let reason = reason(error.code) { return reason }
        return "Foundation's error \(error.code.rawValue)"
    }

    /// The number that the system gave, which Foundation keeps within its own error.
    private static func systemNumber(_ error: any Error) -> Int32? {
        var next: (any Error)? = error
        // The limit ends rings of errors, which Foundation does not make; it never nests ten.
        for _ in 0..<10 {
            guard let current = next else { return nil }
            if let error = current as? POSIXError { return error.code.rawValue }
            #if FoundationEssentials
                next = (current as? CocoaError)?.underlying
            #else
                let bridged = current as NSError
                if bridged.domain == NSPOSIXErrorDomain { return Int32(clamping: bridged.code) }
                next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error
            #endif
        }
        return nil
    }

    /// Returns the reason of an error that Foundation detected itself, without a failed system call.
    private static func reason(_ code: CocoaError.Code) -> String? {
        switch code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "No such file or directory"
        case .fileReadNoPermission, .fileWriteNoPermission: "Permission denied"
        case .fileWriteFileExists: "File exists"
        case .fileWriteOutOfSpace: "No space left on device"
        case .fileWriteVolumeReadOnly: "Read-only file system"
        case .fileReadInvalidFileName, .fileWriteInvalidFileName: "The name is not allowed"
        case .fileReadInapplicableStringEncoding, .fileWriteInapplicableStringEncoding: "It is not UTF-8 text"
        case .fileReadCorruptFile, .propertyListReadCorrupt: "Its contents are not valid"
        case .fileReadTooLarge: "It is too large"
        default: nil
        }
    }

    private static func otherText(_ error: any Error) -> String {
        if let error = error as? any LocalizedError, let text = error.errorDescription { return text }
        #if !FoundationEssentials
            // A Swift error describes itself best; as `NSError`, it would be a number.
            if type(of: error) is NSError.Type { return (error as NSError).localizedDescription }
        #endif
        return "\(error)"
    }
}
