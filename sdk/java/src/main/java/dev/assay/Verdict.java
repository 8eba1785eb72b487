package dev.assay;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/** What the gate said about one event. */
public final class Verdict {
    /** The id of the event, as `track` answered it. */
    public final String eventId;
    /** `accept`, `warn`, `quarantine` or `reject`. */
    public final String outcome;
    /** The server knew the event already: it counts once. */
    public final boolean isDuplicate;
    /** Each with `code`, `message` and, where there is one, `field`. */
    public final List<Object> issues;

    Verdict(String eventId, String outcome, boolean isDuplicate, List<Object> issues) {
        this.eventId = eventId;
        this.outcome = outcome;
        this.isDuplicate = isDuplicate;
        this.issues = Collections.unmodifiableList(issues);
    }

    @SuppressWarnings("unchecked")
    static Verdict of(Map<String, Object> result) {
        Object issues = result.get("issues");
        return new Verdict(
                String.valueOf(result.get("event_id")),
                String.valueOf(result.get("outcome")),
                Boolean.TRUE.equals(result.get("duplicate")),
                issues instanceof List ? (List<Object>) issues : Collections.<Object>emptyList());
    }

    /** Called on the thread that sends; an exception in it is ignored. */
    public interface Listener {
        void onVerdict(Verdict verdict);
    }
}
