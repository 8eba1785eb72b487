-- By which law the events of a site are judged, and what becomes of one whose purpose is denied.
ALTER TABLE sites ADD COLUMN consent_regime text CHECK (consent_regime IN ('gdpr', 'kvkk', 'ccpa'));
ALTER TABLE sites ADD COLUMN on_denied text NOT NULL DEFAULT 'reject' CHECK (on_denied IN ('reject', 'anonymous'));
