import { asOf, origins, type SourceList } from './source-list.ts'

/** Parts of the others that deserve a separate name. */
export const otherSources: readonly SourceList[] = [
  {
    category: 'other',
    origin: origins.services,
    asOf,
    sources: {
      'google docs': 'docs.google.com drive.google.com',
      'google accounts': 'accounts.google.com',
      'google calendar': 'calendar.google.com meet.google.com chat.google.com',
      'google classroom': 'classroom.google.com',
      'google ads preview': 'ads.google.com tagassistant.google.com',
      'google cloud': 'console.cloud.google.com cloud.google.com',
      'google translate': 'translate.google.com *.translate.goog',
      'yandex accounts': 'passport.yandex.ru',
      'amazon web services': '*.aws.amazon.com',
      'amazon music': 'music.amazon.com',
      'microsoft teams': 'teams.microsoft.com statics.teams.cdn.office.net com.microsoft.teams',
      slack: '*.slack.com com.slack',
      github: '*.github.com *.github.io',
    },
  },
]
