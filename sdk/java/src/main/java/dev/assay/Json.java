package dev.assay;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes and reads JSON, so that the SDK needs no other library. */
final class Json {
    /** Deeper values are refused by the server too. */
    private static final int DEPTH_MAX = 64;

    private final String text;
    private int at;

    /** Text that is JSON already. */
    static final class Raw {
        private final String text;

        Raw(String text) {
            this.text = text;
        }
    }

    private Json(String text) {
        this.text = text;
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out, 0);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out, int depth) {
        if (depth > DEPTH_MAX) throw new IllegalArgumentException("A value nests deeper than " + DEPTH_MAX);
        if (value == null) {
            out.append("null");
        } else if (value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof Number) {
            writeNumber((Number) value, out);
        } else if (value instanceof Map) {
            writeMap((Map<?, ?>) value, out, depth);
        } else if (value instanceof Iterable) {
            writeList((Iterable<?>) value, out, depth);
        } else if (value instanceof Object[]) {
            writeList(Arrays.asList((Object[]) value), out, depth);
        } else if (value instanceof Raw) {
            out.append(((Raw) value).text);
        } else {
            writeText(value.toString(), out);
        }
    }

    private static void writeNumber(Number value, StringBuilder out) {
        double number = value.doubleValue();
        if (Double.isNaN(number) || Double.isInfinite(number)) out.append("null");
        else out.append(value);
    }

    private static void writeMap(Map<?, ?> map, StringBuilder out, int depth) {
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(separator);
            writeText(String.valueOf(entry.getKey()), out);
            out.append(':');
            write(entry.getValue(), out, depth + 1);
            separator = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
    }

    private static void writeList(Iterable<?> list, StringBuilder out, int depth) {
        out.append('[');
        String separator = "";
        for (Object item : list) {
            out.append(separator);
            write(item, out, depth + 1);
            separator = ",";
        }
        out.append(']');
    }

    private static void writeText(String text, StringBuilder out) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char letter = text.charAt(at);
            if (letter == '"' || letter == '\\') out.append('\\').append(letter);
            else if (letter < ' ' || Character.isSurrogate(letter) && !isPair(text, at))
                out.append(String.format("\\u%04x", (int) letter));
            else out.append(letter);
        }
        out.append('"');
    }

    private static boolean isPair(String text, int at) {
        char letter = text.charAt(at);
        if (Character.isHighSurrogate(letter))
            return at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1));
        return at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }

    /** Null where the text is no JSON: a proxy may answer with anything. */
    static Object read(String text) {
        try {
            Json json = new Json(text);
            Object value = json.value(0);
            json.space();
            return json.at == text.length() ? value : null;
        } catch (RuntimeException error) {
            return null;
        }
    }

    private Object value(int depth) {
        if (depth > DEPTH_MAX) throw new IllegalStateException("too deep");
        space();
        char letter = text.charAt(at);
        if (letter == '{') return map(depth);
        if (letter == '[') return list(depth);
        if (letter == '"') return string();
        if (text.startsWith("true", at)) return word(4, Boolean.TRUE);
        if (text.startsWith("false", at)) return word(5, Boolean.FALSE);
        if (text.startsWith("null", at)) return word(4, null);
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) at++;
        return Double.valueOf(text.substring(start, at));
    }

    private Object word(int length, Object value) {
        at += length;
        return value;
    }

    private Map<String, Object> map(int depth) {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        for (space(); text.charAt(at) != '}'; space()) {
            String name = string();
            space();
            expect(':');
            map.put(name, value(depth + 1));
            space();
            if (text.charAt(at) == ',') at++;
        }
        at++;
        return map;
    }

    private List<Object> list(int depth) {
        List<Object> list = new ArrayList<>();
        at++;
        for (space(); text.charAt(at) != ']'; space()) {
            list.add(value(depth + 1));
            space();
            if (text.charAt(at) == ',') at++;
        }
        at++;
        return list;
    }

    private String string() {
        expect('"');
        StringBuilder out = new StringBuilder();
        for (char letter = text.charAt(at++); letter != '"'; letter = text.charAt(at++)) {
            if (letter != '\\') {
                out.append(letter);
                continue;
            }
            char escaped = text.charAt(at++);
            int known = "bfnrt".indexOf(escaped);
            if (escaped == 'u') {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else out.append(known >= 0 ? "\b\f\n\r\t".charAt(known) : escaped);
        }
        return out.toString();
    }

    private void expect(char letter) {
        if (text.charAt(at++) != letter) throw new IllegalStateException("unexpected");
    }

    private void space() {
        while (at < text.length() && text.charAt(at) <= ' ') at++;
    }
}
