'use strict'

/*
 * Options of curl that a load test ignores. They must be known anyway, to tell whether the next word is an option's
 * argument or the URL. `letter` is the short form, if there is one.
 */

const words = (text) => text.trim().split(/\s+/).map((word) => {
  const [name, letter = null] = word.split('/')
  return { name, letter }
})

/** Options about curl's output and its files, its internal behavior, and other protocols. */
const IGNORED = words(`
  append/a basic buffer/N ca-native cert-status clobber compressed-ssh create-dirs disable/q disable-eprt disable-epsv
  disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed eprt epsv fail/f fail-early fail-with-body false-start
  ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control globoff/g http0.9 ignore-content-length include/i
  ipv4/4 ipv6/6 junk-session-cookies/j keepalive list-only/l mail-rcpt-allowfails metalink mptcp npn out-null parallel/Z
  parallel-immediate progress-bar/# progress-meter proxy-basic proxy-ca-native proxy-http2 proxy-insecure proxy-ssl-allow-beast
  proxy-ssl-auto-client-cert proxy-tlsv1 raw remote-header-name/J remote-name/O remote-name-all remote-time/R remove-on-error
  retry-all-errors retry-connrefused sasl-ir sessionid show-error/S show-headers silent/s skip-existing socks5-basic
  socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2/2 sslv3/3
  styled-output suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata trace-ids trace-time use-ascii/B
  verbose/v xattr
`)

/** Ignored options that take an argument. */
const IGNORED_TAKING = words(`
  connect-timeout cookie-jar/c create-file-mode delegation dump-header/D egd-file engine etag-save expect100-timeout
  ftp-account ftp-alternative-to-user ftp-method ftp-port/P ftp-ssl-ccc-mode happy-eyeballs-timeout-ms hostpubmd5 hostpubsha256
  ip-tos ipfs-gateway keepalive-cnt keepalive-time knownhosts krb libcurl limit-rate local-port login-options mail-auth
  mail-from mail-rcpt max-filesize output/o output-dir parallel-max parallel-max-host pinnedpubkey proto proto-redir proxy-cacert
  proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey
  proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser pubkey quote/Q random-file rate retry
  retry-delay retry-max-time sasl-authzid service-name socks5-gssapi-service speed-limit/Y speed-time/y ssl-sessions stderr
  telnet-option/t tftp-blksize trace trace-ascii trace-config upload-flags vlan-priority write-out/w
`)

const ONLY_BASIC = 'authentication is Basic (-u) or Bearer (--oauth2-bearer)'
const NO_SOCKS = 'a proxy must be an HTTP proxy'
const NO_HTTP3 = 'requests are HTTP/1.1 or HTTP/2'
const NO_RESOLVER = 'names are looked up by this system; --resolve sets an address'
const NO_SRP = 'give certificates and keys, with -E, --key and --cacert'
const NO_NETRC = 'give the user with -u'
const NO_FILE_OF_OPTIONS = 'give its options in the line itself'
const NO_CACHE = "curl's own files are not read"
const NO_PROXY_PROTOCOL = 'a connection begins with the request'

/** Unsupported options that would change the request or its destination, each with the reason. */
const REFUSED = {
  ...each('anyauth digest negotiate ntlm ntlm-wb proxy-anyauth proxy-digest proxy-negotiate proxy-ntlm aws-sigv4', ONLY_BASIC),
  ...each('preproxy socks4 socks4a socks5 socks5-hostname', NO_SOCKS),
  ...each('http1.0/0 http3 http3-only', NO_HTTP3),
  ...each('dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url', NO_RESOLVER),
  ...each('tlsauthtype tlspassword tlsuser ech', NO_SRP),
  ...each('netrc/n netrc-file netrc-optional', NO_NETRC),
  ...each('config/K variable', NO_FILE_OF_OPTIONS),
  ...each('alt-svc hsts', NO_CACHE),
  ...each('haproxy-clientip haproxy-protocol', NO_PROXY_PROTOCOL),
  ...each('proxy1.0', 'only HTTP/1.1 is used with a proxy; give the proxy with -x'),
  ...each('tr-encoding', 'use --compressed'),
  ...each('help/h manual/M version/V', 'the line must make a request')
}

function each (names, why) {
  return Object.fromEntries(words(names).map(({ name, letter }) => [name, { letter, why }]))
}

module.exports = { IGNORED, IGNORED_TAKING, REFUSED }
