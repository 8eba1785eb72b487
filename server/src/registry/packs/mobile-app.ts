import type { Pack } from './pack.ts'
import {
  code,
  contract,
  count,
  flag,
  id,
  inApps,
  listOf,
  number,
  oneOf,
  onServer,
  position,
  record,
  required,
  text,
} from './rules.ts'

const release = {
  version: text('Version shown in the store, such as `4.2.0`'),
  build: text('Build number'),
}
const push = { push_id: id('Your own id of the message'), campaign_id: id('Campaign it belongs to') }
const pushFacts = {
  category: code('What kind of message, such as `order_update`'),
  deep_link: text('Where it leads'),
  transactional: flag('Whether it was sent because of something the person did'),
}
const message = {
  message_id: id('Your own id of the message'),
  format: oneOf(['modal', 'banner', 'full_screen', 'tooltip', 'survey', 'card'], 'How it looks'),
}
const storeProduct = {
  product_id: id('Product id as set up in the store'),
  store: oneOf(['app_store', 'play_store', 'amazon_appstore', 'galaxy_store', 'appgallery'], 'Which store'),
}

export const mobileApp: Pack = {
  key: 'mobile_app',
  title: 'Mobile app',
  description:
    'App lifecycle, permissions, push messages, store reviews and crashes on iOS and Android. Screens use the standard $pageview, in-app purchases $purchase or $subscribe.',
  contracts: [
    contract('application_installed', 'The app is started for the first time after it was installed.', {
      owner: 'mobile',
      category: 'Life cycle',
      surfaces: inApps,
      required: release,
      optional: {
        install_source: code('Store or link it came from'),
        reinstall: flag('Whether it had been there before'),
      },
    }),
    contract('application_updated', 'The app is started for the first time after an update.', {
      owner: 'mobile',
      category: 'Life cycle',
      surfaces: inApps,
      required: release,
      optional: { previous_version: text('Version before'), previous_build: text('Build number before') },
    }),
    contract('application_opened', 'The app is opened or returns to the foreground.', {
      owner: 'mobile',
      category: 'Life cycle',
      surfaces: inApps,
      required: release,
      optional: {
        from_background: flag('Whether it was still running'),
        url: text('Link that opened it'),
        referring_application: text('App that opened it'),
        start_up_ms: count('Time until it could be used'),
      },
    }),
    contract('application_backgrounded', 'The app moves to the background.', {
      owner: 'mobile',
      category: 'Life cycle',
      surfaces: inApps,
      required: {},
      optional: {
        ...release,
        foreground_ms: count('Time it was in front'),
        screen: text('Screen that was left'),
      },
    }),
    contract('install_attributed', 'A measurement partner attributes an install.', {
      owner: 'acquisition',
      category: 'Life cycle',
      purpose: 'ad_storage',
      required: { provider: text('Who says so') },
      optional: {
        campaign: record(
          {
            source: text('Where the advertisement stood'),
            name: text('Campaign'),
            content: text('Which advertisement'),
            ad_group: text('Group of advertisements'),
          },
          'The campaign, as far as known',
        ),
        organic: flag('Whether no campaign can be named'),
      },
    }),
    contract('deep_link_opened', 'A deep link opens the app.', {
      owner: 'acquisition',
      category: 'Life cycle',
      surfaces: inApps,
      required: { url: text('The link') },
      optional: {
        kind: oneOf(
          ['universal_link', 'app_link', 'custom_scheme', 'deferred', 'qr_code', 'nfc'],
          'What kind of link',
        ),
        resolved: flag('Whether the app had a place for it'),
        campaign_id: push.campaign_id,
      },
    }),
    contract('permission_answered', 'A user grants or denies a permission.', {
      owner: 'mobile',
      category: 'Permissions',
      surfaces: inApps,
      purpose: 'functionality_storage',
      required: {
        permission: oneOf(
          [
            'notifications',
            'location',
            'camera',
            'photos',
            'microphone',
            'contacts',
            'bluetooth',
            'motion',
            'health',
            'calendar',
          ],
          'Which permission',
        ),
        answer: oneOf(['granted', 'granted_limited', 'denied', 'denied_for_good'], 'What was said'),
      },
      optional: {
        primed: flag('Whether the app explained it before'),
        screen: text('Screen on which it was asked'),
      },
    }),
    contract('tracking_permission_answered', 'iOS asked whether the app may follow the person across apps.', {
      owner: 'acquisition',
      category: 'Permissions',
      surfaces: ['ios'],
      purpose: 'functionality_storage',
      required: {
        answer: oneOf(
          ['authorized', 'denied', 'restricted', 'not_determined'],
          'State of the permission afterwards',
        ),
      },
      optional: { primed: flag('Whether the app explained it before') },
    }),
    contract('push_notification_sent', 'A push message is sent to Apple or Google.', {
      owner: 'crm',
      category: 'Messages',
      surfaces: onServer,
      required: { push_id: push.push_id },
      optional: {
        campaign_id: push.campaign_id,
        ...pushFacts,
        accepted: flag('Whether it was taken'),
        error: code('Why not'),
      },
    }),
    contract('push_notification_received', 'A push message arrives on the device.', {
      owner: 'crm',
      category: 'Messages',
      surfaces: inApps,
      required: { push_id: push.push_id },
      optional: {
        campaign_id: push.campaign_id,
        ...pushFacts,
        foreground: flag('Whether the app was in front'),
      },
    }),
    contract('push_notification_tapped', 'A user opens a push message.', {
      owner: 'crm',
      category: 'Messages',
      surfaces: inApps,
      required: { push_id: push.push_id },
      optional: {
        campaign_id: push.campaign_id,
        ...pushFacts,
        action: code('Button chosen, where there are several'),
      },
    }),
    contract(
      'in_app_message_answered',
      'A message inside the app was shown, and this is what became of it.',
      {
        owner: 'crm',
        category: 'Messages',
        surfaces: inApps,
        required: {
          ...message,
          answer: oneOf(['clicked', 'dismissed', 'ignored', 'snoozed'], 'What the person did'),
        },
        optional: {
          campaign_id: push.campaign_id,
          button: code('Which button'),
          visible_ms: count('How long it was in view'),
          screen: text('Screen it lay over'),
        },
      },
    ),
    contract('tutorial_step_completed', 'A step of the tutorial is completed or skipped.', {
      owner: 'product',
      category: 'Activation',
      surfaces: inApps,
      required: {
        tutorial: code('Which introduction'),
        step: code('Which page'),
        skipped: flag('Whether the rest was skipped'),
      },
      optional: {
        position: position('Place of the page'),
        page_count: position('Pages in all'),
        duration_ms: count('Time spent on it'),
      },
    }),
    contract(
      'store_review_requested',
      'The app asked the system to ask for a review. No store reports whether it was shown.',
      {
        owner: 'product',
        category: 'Store',
        surfaces: inApps,
        required: { trigger: code('What had just gone well') },
        optional: {
          session_count: count('Sessions so far'),
          days_since_install: count('Days since the install'),
          version: release.version,
        },
      },
    ),
    contract('store_purchase_failed', 'A purchase through the store fails.', {
      owner: 'monetisation',
      category: 'Store',
      surfaces: inApps,
      required: {
        ...storeProduct,
        reason: oneOf(
          [
            'cancelled',
            'pending_approval',
            'payment_declined',
            'not_available',
            'already_owned',
            'network',
            'store_error',
            'receipt_invalid',
          ],
          'Why',
        ),
      },
      optional: { error_code: code('Code of the store'), paywall: code('Where it was begun') },
    }),
    contract('application_crashed', 'The app crashed. Sent at the next start.', {
      owner: 'mobile',
      category: 'Stability',
      surfaces: inApps,
      required: {
        ...release,
        kind: oneOf(['crash', 'not_responding', 'out_of_memory', 'watchdog'], 'How it died'),
      },
      optional: {
        signature: text('What groups the same crashes'),
        screen: text('Screen it happened on'),
        foreground: flag('Whether it was in front'),
        session_ms: count('Age of the session'),
      },
    }),
    contract('network_request_failed', 'A network request of the app fails.', {
      owner: 'mobile',
      category: 'Stability',
      surfaces: inApps,
      required: {
        route: text('Route by its pattern, such as `/orders/:id`; never with ids in it'),
        reason: oneOf(
          ['offline', 'timeout', 'dns', 'tls', 'client_error', 'server_error', 'cancelled'],
          'What kind of failure',
        ),
      },
      optional: {
        http_status: number('What the server answered', { minimum: 100, maximum: 599 }),
        duration_ms: count('How long it took'),
        connection: oneOf(
          ['wifi', 'cellular', 'ethernet', 'none', 'unknown'],
          'How the device was connected',
        ),
        retries: count('Attempts after the first'),
      },
    }),
    contract('offline_changes_synchronised', 'Changes made offline reach the server.', {
      owner: 'mobile',
      category: 'Stability',
      surfaces: inApps,
      required: { change_count: count('Changes sent') },
      optional: {
        conflict_count: count('Changes that met another one'),
        offline_ms: count('How long there was no connection'),
        kinds: listOf(
          record(required({ kind: code('What was changed'), count: count('How often') }), 'One kind'),
          'Changes by kind',
        ),
      },
    }),
  ],
}
