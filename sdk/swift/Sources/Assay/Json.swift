import Foundation

/// JSON as one line of text, so that a queue can hold it.
enum Json {
    /// Deeper values are refused by the server too.
    private static let depthMax = 64

    /// Nil where a value cannot be written: a type that JSON does not have, or values that nest too deeply.
    static func write(_ values: [String: Any]) -> String? {
        guard let members = object(values, depth: 0) else { return nil }
        guard JSONSerialization.isValidJSONObject(members) else { return nil }
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: [.sortedKeys]) else { return nil }
        return String(data: data, encoding: .utf8)
    }

    /// Nil where the text is no object: a proxy may answer with anything.
    static func read(_ text: String) -> [String: Any]? {
        guard let data = text.data(using: .utf8) else { return nil }
        return (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
    }

    private static func object(_ values: [String: Any], depth: Int) -> [String: Any]? {
        guard depth <= depthMax else { return nil }
        var members: [String: Any] = [:]
        for (name, value) in values {
            guard let cleaned = clean(value, depth: depth + 1) else { return nil }
            members[name] = cleaned
        }
        return members
    }

    private static func list(_ values: [Any], depth: Int) -> [Any]? {
        guard depth <= depthMax else { return nil }
        var items: [Any] = []
        for value in values {
            guard let cleaned = clean(value, depth: depth + 1) else { return nil }
            items.append(cleaned)
        }
        return items
    }

    private static func clean(_ value: Any, depth: Int) -> Any? {
        // First, because on Apple's systems a number 1 of Objective-C would pass for `true`.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            return number.doubleValue.isFinite ? number : NSNull()
        }
        switch value {
        case let text as String: return text
        case let flag as Bool: return flag
        case let number as Int: return number
        case let number as Int64: return number
        case let number as Double: return number.isFinite ? number : NSNull()
        case let number as Float: return number.isFinite ? Double(number) : NSNull()
        case let date as Date: return Time.text(date)
        case let url as URL: return url.absoluteString
        case let id as UUID: return id.uuidString.lowercased()
        case let values as [String: Any]: return object(values, depth: depth)
        case let values as [Any]: return list(values, depth: depth)
        case is NSNull: return NSNull()
        default: return cleanOptional(value, depth: depth)
        }
    }

    private static func cleanOptional(_ value: Any, depth: Int) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional, depth <= depthMax else { return nil }
        guard let content = mirror.children.first else { return NSNull() }
        return clean(content.value, depth: depth + 1)
    }
}

enum Time {
    /// With milliseconds, in UTC. A formatter may not be shared by threads everywhere, so each call makes one.
    static func text(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        return formatter.string(from: date)
    }

    static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1000).rounded())
    }
}
