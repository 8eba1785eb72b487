import { planNames, type RuleTarget } from './rule-target.ts'

export const signup: RuleTarget = {
  target: '$signup',
  names: {
    seed: ['registration_complete'],
    kin: [
      'signup',
      'signup_completed',
      'signup_complete',
      'signup_success',
      'sign_up_completed',
      'registration_completed',
      'registered',
      'register',
      'user_registered',
      'user_signed_up',
      'user_created',
      'complete_registration',
    ],
    ga4: ['sign_up'],
    segment: ['Signed Up', 'Account Created'],
    mixpanel: ['Create Account'],
    amplitude: ['Completed Signup'],
  },
  synonyms: {
    method: [
      'sign_up_method',
      'signup_method',
      'registration_method',
      'auth_method',
      'auth_provider',
      'provider',
    ],
    plan: planNames,
    referral_code: ['referralCode', 'invite_code'],
  },
}

export const login: RuleTarget = {
  target: '$login',
  names: {
    seed: ['user_login'],
    kin: ['signin', 'sign_in', 'login_success', 'login_completed', 'user_logged_in', 'user_signed_in'],
    ga4: ['login'],
    segment: ['Signed In'],
    mixpanel: ['Log In', 'Logged In'],
    amplitude: ['Sign In Completed'],
  },
  synonyms: {
    method: ['login_method', 'sign_in_method', 'auth_method', 'auth_provider', 'provider', 'Login Method'],
    two_factor: ['twoFactor', 'mfa', 'mfa_used'],
  },
}

export const invite: RuleTarget = {
  target: '$invite',
  names: {
    kin: ['invite', 'invitation_sent', 'user_invited', 'friend_invited', 'member_invited'],
    segment: ['Invite Sent'],
    mixpanel: ['Send Invite'],
    amplitude: ['Invite Friend'],
  },
  synonyms: {
    channel: ['method', 'invite_method', 'invite_channel', 'via'],
    invite_code: ['inviteCode', 'referral_code'],
  },
}

export const identify: RuleTarget = {
  target: '$identify',
  names: { kin: ['identify', 'user_identified'], mixpanel: ['Identify User'] },
  synonyms: {
    user_id: ['userId'],
    email: ['email_address'],
    name: ['full_name', 'fullName'],
    plan: ['plan_name'],
  },
}

export const churn: RuleTarget = {
  target: '$churn',
  names: {
    seed: ['account_cancelled'],
    kin: [
      'churn',
      'churned',
      'account_canceled',
      'account_closed',
      'subscription_cancelled',
      'subscription_canceled',
      'subscription_ended',
      'plan_cancelled',
      'plan_canceled',
    ],
    ga4: ['app_store_subscription_cancel'],
    segment: ['Account Deleted'],
  },
  synonyms: {
    reason: ['cancel_reason', 'cancellation_reason', 'churn_reason', 'cancelReason', 'cancellationReason'],
    plan: planNames,
    tenure_days: ['tenureDays', 'days_active'],
  },
}
