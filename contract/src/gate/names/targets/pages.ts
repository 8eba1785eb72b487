import type { RuleTarget } from './rule-target.ts'

export const pageview: RuleTarget = {
  target: '$pageview',
  names: {
    kin: ['pageview', 'page', 'screen', 'screen_viewed', 'viewed_page'],
    ga4: ['page_view', 'screen_view'],
    segment: ['Page Viewed', 'Loaded a Page'],
    mixpanel: ['Viewed a Page'],
    amplitude: ['[Amplitude] Page Viewed', '[Amplitude] Screen Viewed'],
  },
  synonyms: {
    url: [
      'page_location',
      'page_url',
      'current_url',
      '$current_url',
      'pageUrl',
      'Page URL',
      '[Amplitude] Page Location',
      '[Amplitude] Screen Name',
      'screen_name',
    ],
    title: [
      'page_title',
      'pageTitle',
      'Page Title',
      '[Amplitude] Page Title',
      'current_page_title',
      'screen_class',
    ],
    referrer: ['page_referrer', '$referrer'],
  },
}

export const sessionStart: RuleTarget = {
  target: '$session_start',
  names: { ga4: ['session_start'], kin: ['session_started'], amplitude: ['[Amplitude] Start Session'] },
  synonyms: {
    session_id: ['ga_session_id', 'sessionId'],
    landing_page: ['entry_page', 'landingPage'],
    utm_source: ['utmSource'],
  },
}

export const sessionEnd: RuleTarget = {
  target: '$session_end',
  names: { kin: ['session_end', 'session_ended'], amplitude: ['[Amplitude] End Session'] },
  synonyms: {
    session_id: ['ga_session_id', 'sessionId'],
    duration_ms: ['session_duration_ms', 'durationMs', 'engagement_time_msec'],
    page_count: ['pageCount', 'pages_viewed'],
  },
}

export const click: RuleTarget = {
  target: '$click',
  names: {
    kin: ['button_click', 'button_clicked', 'link_clicked', 'cta_clicked', 'element_click', 'clicked'],
    ga4: ['click'],
    amplitude: ['[Amplitude] Element Clicked', 'Element Clicked'],
  },
  synonyms: {
    element: [
      'element_id',
      'element_name',
      'button_id',
      'button_name',
      'link_id',
      'button',
      'cta',
      'link_url',
      '[Amplitude] Element ID',
      '[Amplitude] Element Tag',
    ],
    selector: ['css_selector', 'element_selector', '[Amplitude] Element Hierarchy'],
    text: ['button_text', 'link_text', 'element_text', 'label', '[Amplitude] Element Text'],
  },
}

export const formSubmit: RuleTarget = {
  target: '$form_submit',
  names: {
    kin: ['form_submitted', 'form_submission', 'form_completed'],
    ga4: ['form_submit'],
    amplitude: ['[Amplitude] Form Submitted'],
  },
  synonyms: {
    form_id: ['formId', 'form', 'Form ID', '[Amplitude] Form ID'],
    form_name: ['formName', 'Form Name', '[Amplitude] Form Name'],
    field_count: ['fieldCount', 'fields_count'],
  },
}
