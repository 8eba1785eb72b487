package dev.assay;

import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** What is stored about the person on this device: ids, the session, and the choice about consent. */
final class Device {
    private final File file;
    private final Map<String, Object> state = new LinkedHashMap<>();

    @SuppressWarnings("unchecked")
    Device(File file) throws IOException {
        this.file = file;
        Object read = Json.read(Files.read(file));
        if (read instanceof Map) state.putAll((Map<String, Object>) read);
    }

    private String text(String name) {
        Object value = state.get(name);
        return value instanceof String ? (String) value : null;
    }

    boolean isStored() {
        return text("anonymous_id") != null;
    }

    String anonymousId(Losses losses) {
        if (text("anonymous_id") == null) {
            state.put("anonymous_id", UUID.randomUUID().toString());
            save(losses);
        }
        return text("anonymous_id");
    }

    String userId() {
        return text("user_id");
    }

    void userId(String userId, Losses losses) {
        state.put("user_id", userId);
        save(losses);
    }

    String sessionId() {
        return text("session_id");
    }

    long seenMs() {
        Object seen = state.get("seen_ms");
        return seen instanceof Number ? ((Number) seen).longValue() : 0;
    }

    void session(String sessionId, long nowMs, Losses losses) {
        state.put("session_id", sessionId);
        seen(nowMs, losses);
    }

    void seen(long nowMs, Losses losses) {
        state.put("seen_ms", nowMs);
        save(losses);
    }

    /** Null where the person has not chosen. */
    Assay.Consent consent() {
        String chosen = text("consent");
        if ("granted".equals(chosen)) return Assay.Consent.GRANTED;
        return "denied".equals(chosen) ? Assay.Consent.DENIED : null;
    }

    void grant(Losses losses) {
        state.put("consent", "granted");
        save(losses);
    }

    /** Only the choice itself stays, so that it is known at the next start. */
    void deny(Losses losses) {
        state.clear();
        state.put("consent", "denied");
        save(losses);
    }

    /** The next person on this device; the choice stays, since it is of the device. */
    void forget(Losses losses) {
        Object chosen = state.get("consent");
        state.clear();
        if (chosen != null) state.put("consent", chosen);
        save(losses);
    }

    private void save(Losses losses) {
        try {
            Files.replace(file, Json.write(state));
        } catch (IOException error) {
            losses.add("disk", 1);
        }
    }
}
