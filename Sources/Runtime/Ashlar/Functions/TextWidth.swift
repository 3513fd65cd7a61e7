/// The full-width and half-width forms of characters that Unicode has in the block of U+FF00.
///
/// Foundation's `decomposedStringWithCompatibilityMapping` gives the same results; a test compares them.
enum TextWidth {
    /// Returns the ordinary form of a character in the block: its parts if it has any, or itself if it has no other
    /// form.
    static func ordinary(_ scalar: Unicode.Scalar) -> String {
        guard scalar.value >= 0xFF00, scalar.value - 0xFF00 < forms.count else { return String(scalar) }
        return forms[Int(scalar.value - 0xFF00)]
    }

    private static let forms: [String] = codes.joined(separator: ",").split(separator: ",").map { code in
        var text = String.UnicodeScalarView()
        for number in code.split(separator: " ") {
            if let scalar = UInt32(number, radix: 16).flatMap(Unicode.Scalar.init) { text.append(scalar) }
        }
        return String(text)
    }

    /// The forms from U+FF00 on, eight in each line.
    private static let codes = [
        "FF00,0021,0022,0023,0024,0025,0026,0027",
        "0028,0029,002A,002B,002C,002D,002E,002F",
        "0030,0031,0032,0033,0034,0035,0036,0037",
        "0038,0039,003A,003B,003C,003D,003E,003F",
        "0040,0041,0042,0043,0044,0045,0046,0047",
        "0048,0049,004A,004B,004C,004D,004E,004F",
        "0050,0051,0052,0053,0054,0055,0056,0057",
        "0058,0059,005A,005B,005C,005D,005E,005F",
        "0060,0061,0062,0063,0064,0065,0066,0067",
        "0068,0069,006A,006B,006C,006D,006E,006F",
        "0070,0071,0072,0073,0074,0075,0076,0077",
        "0078,0079,007A,007B,007C,007D,007E,2985",
        "2986,3002,300C,300D,3001,30FB,30F2,30A1",
        "30A3,30A5,30A7,30A9,30E3,30E5,30E7,30C3",
        "30FC,30A2,30A4,30A6,30A8,30AA,30AB,30AD",
        "30AF,30B1,30B3,30B5,30B7,30B9,30BB,30BD",
        "30BF,30C1,30C4,30C6,30C8,30CA,30CB,30CC",
        "30CD,30CE,30CF,30D2,30D5,30D8,30DB,30DE",
        "30DF,30E0,30E1,30E2,30E4,30E6,30E8,30E9",
        "30EA,30EB,30EC,30ED,30EF,30F3,3099,309A",
        "1160,1100,1101,11AA,1102,11AC,11AD,1103",
        "1104,1105,11B0,11B1,11B2,11B3,11B4,11B5",
        "111A,1106,1107,1108,1121,1109,110A,110B",
        "110C,110D,110E,110F,1110,1111,1112,FFBF",
        "FFC0,FFC1,1161,1162,1163,1164,1165,1166",
        "FFC8,FFC9,1167,1168,1169,116A,116B,116C",
        "FFD0,FFD1,116D,116E,116F,1170,1171,1172",
        "FFD8,FFD9,1173,1174,1175,FFDD,FFDE,FFDF",
        "00A2,00A3,00AC,0020 0304,00A6,00A5,20A9,FFE7",
        "2502,2190,2191,2192,2193,25A0,25CB,FFEF",
    ]
}
