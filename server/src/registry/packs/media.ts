import type { Pack } from './pack.ts'
import {
  code,
  contract,
  count,
  flag,
  id,
  language,
  listOf,
  number,
  onClients,
  oneOf,
  percent,
  position,
  text,
} from './rules.ts'

const content = {
  content_id: id('Your own id of the article, episode, film or track'),
  content_type: oneOf(
    ['article', 'video', 'live', 'podcast', 'audio', 'gallery', 'newsletter', 'game'],
    'What it is',
  ),
}
const contentFacts = {
  title: text('Title as shown'),
  section: text('Section or channel it belongs to'),
  series_id: id('Series, show or column it belongs to'),
  authors: listOf(text('One author', { pii: 'allow' }), 'Who made it'),
  tags: listOf(text('One subject'), 'Subjects of it'),
  language: language('Language of it'),
  access: oneOf(
    ['free', 'metered', 'registered', 'subscriber', 'rental'],
    'What one needs in order to see it',
  ),
  published_at: text('Day of publication, as YYYY-MM-DD', { pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
}

const playback = {
  playback_id: id('One id for everything between pressing play and leaving'),
  content_id: content.content_id,
}
const playhead = { position_ms: count('Where in the content') }
const player = {
  duration_ms: count('Length of the content'),
  player: text('Which player and version'),
  quality: oneOf(
    ['auto', '240p', '360p', '480p', '720p', '1080p', '1440p', '2160p'],
    'Picture quality in use',
  ),
  muted: flag('Whether the sound is off'),
  full_screen: flag('Whether it fills the screen'),
  casting: flag('Whether it plays on another device'),
}

const advert = {
  ad_id: id('Id of the advertisement'),
  placement: oneOf(
    ['pre_roll', 'mid_roll', 'post_roll', 'display', 'native', 'sponsored', 'overlay'],
    'Where it stands',
  ),
}
const advertFacts = {
  ad_server: text('Who served it'),
  campaign_id: id('Campaign it belongs to'),
  pod_position: position('Place in the break'),
  duration_ms: count('Length of the advertisement'),
  playback_id: playback.playback_id,
}

export const media: Pack = {
  key: 'media',
  title: 'Media and streaming',
  description:
    'Reading, watching, listening, playback quality, ads and paywalls. Pages use the standard $pageview, subscriptions $subscribe.',
  contracts: [
    contract(
      'content_viewed',
      'A piece of content is opened. Says what the page is about; $pageview says that there was one.',
      {
        owner: 'editorial',
        category: 'Content',
        surfaces: onClients,
        required: content,
        optional: {
          ...contentFacts,
          word_count: count('Length of a text'),
          source: oneOf(
            ['home', 'section', 'search', 'recommendation', 'newsletter', 'push', 'social', 'direct'],
            'What led to it',
          ),
        },
      },
    ),
    contract('content_engaged', 'How much of an item was read, watched or heard. Sent once, on leaving.', {
      owner: 'editorial',
      category: 'Content',
      surfaces: onClients,
      required: { ...content, engaged_ms: count('Time in view with signs of life') },
      optional: {
        depth_percent: percent('How far it was read or played'),
        completed: flag('Whether the end was reached'),
      },
    }),
    contract('content_saved', 'A user saves an item or adds it to a list.', {
      owner: 'product',
      category: 'Content',
      required: content,
      optional: {
        list: oneOf(['read_later', 'watch_list', 'favourites', 'playlist', 'offline'], 'Where it is kept'),
        section: contentFacts.section,
      },
    }),
    contract(
      'comment_posted',
      'A reader says something under a piece. The words themselves stay in your own system.',
      {
        owner: 'community',
        category: 'Community',
        required: { ...content, comment_id: id('Your own id of the comment') },
        optional: {
          reply: flag('Whether it answers another comment'),
          character_count: count('Length'),
          held_for_review: flag('Whether moderation holds it'),
        },
      },
    ),
    contract(
      'recommendation_clicked',
      'Someone follows a recommendation. Shows how good the recommender is.',
      {
        owner: 'personalisation',
        category: 'Content',
        surfaces: onClients,
        purpose: 'personalization_storage',
        required: { content_id: content.content_id, slot: code('Where the recommendation stood') },
        optional: {
          position: position('Place in the slot'),
          model: code('Which model or rule chose it'),
          from_content_id: id('Piece it was shown with'),
        },
      },
    ),
    contract('video_playback_started', 'Playback starts, by the viewer or automatically.', {
      owner: 'video',
      category: 'Playback',
      surfaces: onClients,
      required: playback,
      optional: {
        ...playhead,
        ...player,
        autoplay: flag('Whether it started automatically'),
        live: flag('Whether it is a live stream'),
        start_up_ms: count('Time from pressing play to the first picture'),
      },
    }),
    contract('video_playback_paused', 'Playback is paused by the viewer.', {
      owner: 'video',
      category: 'Playback',
      surfaces: onClients,
      required: { ...playback, ...playhead },
      optional: player,
    }),
    contract('video_playback_resumed', 'Playback continues after a pause.', {
      owner: 'video',
      category: 'Playback',
      surfaces: onClients,
      required: { ...playback, ...playhead },
      optional: player,
    }),
    contract(
      'video_playback_buffered',
      'Playback had to wait for data and continued. One event per wait, sent when it is over.',
      {
        owner: 'video',
        category: 'Quality',
        surfaces: onClients,
        required: { ...playback, ...playhead, wait_ms: count('How long it stood still') },
        optional: {
          ...player,
          bitrate_kbps: count('Bit rate afterwards'),
          cdn: text('Which delivery network'),
        },
      },
    ),
    contract('video_playback_failed', 'Playback fails or never starts.', {
      owner: 'video',
      category: 'Quality',
      surfaces: onClients,
      required: {
        ...playback,
        reason: oneOf(
          ['network', 'decode', 'drm', 'geo_blocked', 'not_entitled', 'not_found', 'other'],
          'What kind of failure',
        ),
      },
      optional: {
        ...playhead,
        ...player,
        error_code: code('Code of the player'),
        fatal: flag('Whether playback stopped'),
        cdn: text('Which delivery network'),
      },
    }),
    contract(
      'video_playback_progressed',
      'A quarter of the content has been played. At most three of them a playback, before completion.',
      {
        owner: 'video',
        category: 'Playback',
        surfaces: onClients,
        required: { ...playback, progress_percent: number('Which quarter', { enum: [25, 50, 75] }) },
        optional: { ...playhead, watched_ms: count('Time really watched so far') },
      },
    ),
    contract('video_playback_completed', 'The content is played to its end.', {
      owner: 'video',
      category: 'Playback',
      surfaces: onClients,
      required: playback,
      optional: {
        watched_ms: count('Time really watched'),
        duration_ms: player.duration_ms,
        buffer_ms: count('All waiting together'),
      },
    }),
    contract('ad_viewed', 'An ad is in view, or starts to play.', {
      owner: 'advertising',
      category: 'Advertising',
      surfaces: onClients,
      purpose: 'ad_storage',
      required: advert,
      optional: { ...advertFacts, viewable_percent: percent('How much of it is in view') },
    }),
    contract('ad_clicked', 'A user clicks an ad.', {
      owner: 'advertising',
      category: 'Advertising',
      surfaces: onClients,
      purpose: 'ad_storage',
      required: advert,
      optional: advertFacts,
    }),
    contract('ad_ended', 'An ad finishes playing.', {
      owner: 'advertising',
      category: 'Advertising',
      surfaces: onClients,
      purpose: 'ad_storage',
      required: { ...advert, result: oneOf(['completed', 'skipped', 'abandoned', 'failed'], 'How it ended') },
      optional: { ...advertFacts, watched_ms: count('Time really watched') },
    }),
    contract('paywall_shown', 'A user reaches the paywall.', {
      owner: 'subscriptions',
      category: 'Subscription',
      surfaces: onClients,
      required: {
        paywall: code('Which wall or variant'),
        trigger: oneOf(
          ['meter', 'premium_content', 'registration', 'ad_blocker', 'campaign'],
          'Why it came up',
        ),
      },
      optional: {
        content_id: content.content_id,
        meter_used: count('Free pieces read so far'),
        meter_limit: count('Free pieces allowed'),
        offer_id: id('Offer shown'),
      },
    }),
    contract(
      'newsletter_subscribed',
      'Someone orders a newsletter. The address goes by $identify, not here.',
      {
        owner: 'audience',
        category: 'Subscription',
        required: { newsletter: code('Which newsletter') },
        optional: {
          placement: code('Where the form stood'),
          double_opt_in: flag('Whether it still has to be confirmed'),
        },
      },
    ),
  ],
}
