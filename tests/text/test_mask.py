"""What people rely on: no secret in clear, and nothing public hidden."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.text.mask import Masked, mask, mask_named
from tests.growth import assert_grows_at_most

HASH = "0x" + "ab12cd34" * 8
ADDRESS = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
WORDS = "abandon ability able about above absent absorb abstract absurd abuse access accident"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlX2hlcmU"


def shown(text: str) -> str:
    """The masked text with short labels: «kind»."""
    return re.sub(r"‹masked: ([a-z ]+), \d+ chars›", r"«\1»", mask(text).text)


ANTHROPIC = "sk-ant-api03-" + "aB3dE5" * 8


def test_the_label_has_kind_and_length() -> None:
    token = "a1" * 20
    assert mask(f"Bearer {token}.") == Masked("Bearer ‹masked: bearer, 40 chars›.", 1)
    assert mask(f"Bearer {token} rest") == Masked("Bearer ‹masked: bearer, 40 chars› rest", 1)


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcDEF1234567890abcdef",
        "sk-ant-api03-AAAA_bbbb-1234567890",
        "sk_live_abcdefghij1234",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "github_pat_11ABCDEFG0123456789_abcdef",
        "glpat-abcdefghij0123456789",
        "xoxb-1234567890-abcdefABCDEF",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstu",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "SG.abcdefghijklmnop1.abcdefghijklmnop2",
        "123456789:AAabcdefghijklmnopqrstuvwxyz01234567",
        JWT,
    ],
)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "error: {} was refused",
        '{{"message": "{}"}}',
        r'"first line\n{}\n"',
        "https://example.com/cb%3D{}",
        "\x1b[31m{}\x1b[0m",
        r"\u001b[1;31m{}",
        "({})",
    ],
)
def test_vendor_keys_and_tokens_are_hidden_anywhere(key: str, around: str) -> None:
    masked = mask(around.format(key))
    assert key not in masked.text
    assert masked.count >= 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic «authorization»"),
        ('-H "Authorization: Bearer abc.def" u', '-H "Authorization: Bearer «bearer»" u'),
        ("Bearer supersecretvalue", "Bearer «bearer»"),
        ('{"authorization":"Token 12ab34"}', '{"authorization":"Token «authorization»"}'),
        (
            'Authorization: Digest username="u", response="r"',
            "Authorization: Digest «authorization»",
        ),
        ("Cookie: session=abc; theme=x", "Cookie: «cookie»"),
        ("x-api-key: 12345abc", "x-api-key: «api key»"),
    ],
)
def test_headers(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("postgres://app:s3cr3t@db:5432/x", "postgres://«url credential»@db:5432/x"),
        ("https://a1b2c3d4e5f60718@o1.ingest.io/2", "https://«url credential»@o1.ingest.io/2"),
        (
            "https://eth.g.alchemy.com/v2/AbCdEf0123",
            "https://eth.g.alchemy.com/v2/«url credential»",
        ),
        ("wss://main.infura.io/ws/v3/abc", "wss://main.infura.io/ws/v3/«url credential»"),
        ("https://x.quiknode.pro/ab12cd34ef/", "https://x.quiknode.pro/«url credential»/"),
        ("https://rpc.a.org/v2/" + "ab12" * 8, "https://rpc.a.org/v2/«url credential»"),
        ("https://a.io/api?x=1&apikey=ABC123&y=2", "https://a.io/api?x=1&apikey=«api key»&y=2"),
        ("https://a.io/?key=abcdef12345&z=1", "https://a.io/?key=«url credential»&z=1"),
        (
            r"https://a.io/?a=b\u0026token=abcdef12345",
            r"https://a.io/?a=b\u0026token=«url credential»",
        ),
    ],
)
def test_urls(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"api_key": "abc", "n": 1}', '{"api_key": "«api key»", "n": 1}'),
        ('{"apiKey":"a\\"b","n":1}', '{"apiKey":"«api key»","n":1}'),
        (
            r'{"j": "{\"api_key\": \"a\\\"b\", \"n\": 1}"}',
            r'{"j": "{\"api_key\": \"«api key»\", \"n\": 1}"}',
        ),
        ('{"password": "cut of', '{"password": "«password»'),
        ("DB_PASSWORD=p@ss,w;rd&x next", "DB_PASSWORD=«password» next"),
        ("export OPENAI_API_KEY='a b'", "export OPENAI_API_KEY='«api key»'"),
        (r'"env": "A=1\nAPI_KEY=abc\nB=2"', r'"env": "A=1\nAPI_KEY=«api key»\nB=2"'),
        ("password: correct horse battery", "password: «password»"),
        (
            "client_secret: |\n  line one\n  line two\nnext: 1",
            "client_secret: |\n«secret»\nnext: 1",
        ),
        ("api_keys: ['a1', 'b2']", "api_keys: ['«api key»', '«api key»']"),
        ("run --api-key abc --verbose", "run --api-key «api key» --verbose"),
        ('["--password", "abc", "-v"]', '["--password", "«password»", "-v"]'),
        ("login(password=ab7{c(d, x=1)", "login(password=«password», x=1)"),
        ("DB_PASSWORD=ab(c)d", "DB_PASSWORD=«password»"),
        ("curl -u me:hunter2 x", "curl -u me:«password» x"),
        ("lease_token: 7f3c2b1a", "lease_token: «token»"),
        ("token=abcdef0123456789xyz", "token=«token»"),
        ("The password is hunter2, ok", "The password is «password», ok"),
        ("API key: abc123def", "API key: «api key»"),
        ("AccountName=a;AccountKey=Zm9v==;E=1", "AccountName=a;AccountKey=«api key»;E=1"),
    ],
)
def test_a_name_announces_its_value(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f'{{"private_key": "{HASH}", "tx": "{HASH}"}}',
            f'{{"private_key": "«private key»", "tx": "{HASH}"}}',
        ),
        (f"PRIVATE_KEY={HASH}", "PRIVATE_KEY=«private key»"),
        (f"privkey {HASH[2:]}", "privkey «private key»"),
        (f"Private key (deployer): {HASH}", "Private key (deployer): «private key»"),
        (f"cast send --private-key {HASH}", "cast send --private-key «private key»"),
        (
            f"Private Keys\n(0) {HASH}\n(1) {HASH}",
            "Private Keys\n(0) «private key»\n(1) «private key»",
        ),
        (f"the private key signed tx {HASH}", f"the private key signed tx {HASH}"),
        (f'{{"secret_name": "x", "root": "{HASH}"}}', f'{{"secret_name": "x", "root": "{HASH}"}}'),
        (
            "-----BEGIN EC PRIVATE KEY-----\nMII\n-----END EC PRIVATE KEY-----",
            "-----BEGIN EC PRIVATE KEY-----«private key»-----END EC PRIVATE KEY-----",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIcutoff", "-----BEGIN PRIVATE KEY-----«private key»"),
    ],
)
def test_private_keys_and_hashes_are_distinguished_by_the_words_before(
    text: str, expected: str
) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"mnemonic: {WORDS}",
        f'"mnemonic":"{WORDS}"',
        f"Your seed phrase is\n{WORDS}",
        "recovery phrase: " + " ".join(f"{n}. {w}" for n, w in enumerate(WORDS.split(), 1)),
        "mnemonic: " + ", ".join(f'"{w}"' for w in WORDS.split()),
        r"seed phrase:\n" + WORDS.replace(" ", r"\n"),
    ],
)
def test_phrases_are_hidden_in_their_context(text: str) -> None:
    masked = mask(text)
    assert masked.count == 1
    assert not any(word in masked.text for word in WORDS.split())


def test_a_phrase_of_24_words_leaves_none() -> None:
    assert shown(f"mnemonic = {WORDS} {WORDS}") == "mnemonic = «mnemonic»"


@pytest.mark.parametrize(
    "text",
    [
        HASH,
        f"tx {HASH}",
        f'{{"hash": "{HASH}", "to": "{ADDRESS}", "token": "{ADDRESS}"}}',
        f"https://etherscan.io/tx/{HASH}",
        f"https://etherscan.io/token/{ADDRESS}?a={ADDRESS}",
        "sha256:" + "ab12cd34" * 8,
        "prompt_hash = " + "ab12cd34" * 8,
        "https://github.com/a/b/commit/0123456789abcdef0123456789abcdef01234567",
        "tokens: 4000, token_count=3, max_tokens: 8192, keyboard: qwerty, primary_key: id",
        "cache_key=abcdef1234567890, next_page_token: abcdef1234567890",
        '{"token": "USDC", "tokenIn": "WETH", "quote_token": "USDC"}',
        "password_policy: strict, secret_name: db, api_key_id: 12",
        'api_key = os.environ["API_KEY"]; call(api_key=api_key, token=self.token)',
        "apiKey: process.env.KEY, password: ${DB_PASSWORD}, token: <your token>, secret: ***",
        "PWD=/home/me/project",
        "password: required",
        "Bearer authentication is used; the bearer of this note",
        "ssh://git@github.com/a/b and git@github.com:a/b",
        "https://example.com:8080/a@b",
        "sk-learn-contrib-something-package and a task-force-of-1234567890123456",
        f"the words {WORDS} alone are a list of words",
        "keep your seed phrase in a safe place and never show it to anyone at all",
        "BIP-39 is a list of 2048 words from which a wallet draws twelve or so of them",
        "2026-01-16T14:30:52Z run 20260116-143052-a7b3c9 took 18.7s",
    ],
)
def test_public_and_ordinary_text_stays(text: str) -> None:
    assert mask(text) == Masked(text, 0)


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "OPENAI_API_KEY",
        "openaiApiKey",
        "x-api-key",
        "password",
        "dbPassword",
        "DB_PASS",
        "access_token",
        "config.auth.refreshToken",
        "lease_token",
        "client_secret",
        "private_key_hex",
        "API_KEY_2",
    ],
)
def test_the_name_of_a_value_hides_it_whole(name: str) -> None:
    masked = mask_named(name, "any old, text")
    assert masked.count == 1
    assert re.fullmatch(r"‹masked: [a-z ]+, 13 chars›", masked.text)
    assert mask_named(name, masked.text) == Masked(masked.text, 0)


@pytest.mark.parametrize(
    "name",
    [
        *(None, "", "tokens", "token_count", "keyboard", "monkey", "keys", "public_key", "path"),
        *("token_address", "tokenIn", "password_policy", "secretary", "author", "primary_key"),
    ],
)
def test_ordinary_names_hide_nothing_by_themselves(name: str | None) -> None:
    assert mask_named(name, "any old text") == Masked("any old text", 0)
    assert mask_named(name, "Bearer a1b2c3d4e5").count == 1


def test_a_token_is_hidden_only_if_it_looks_random() -> None:
    assert mask_named("token", "USDC").count == 0
    assert mask_named("token", ADDRESS).count == 0
    assert mask_named("token", "f3a9c1d27b6e4850a1").count == 1
    assert mask_named("api_key", "${API_KEY}").count == 0
    assert mask_named("seed", "42").count == 0
    assert mask_named("mnemonic", "PUSH1").count == 0
    assert mask_named("mnemonic", WORDS).count == 1


FRAGMENTS = [
    *("sk-", "abcDEF1234567890", "Bearer ", "authorization: ", "basic ", "digest ", "cookie: a="),
    *("api_key", "password", "token", "secret", "--token", "mnemonic ", "private key ", WORDS),
    *(
        ": ",
        "=",
        " ",
        "\n",
        '"',
        "'",
        '\\"',
        "\\n",
        "[",
        "]",
        ",",
        "|\n  ",
        "://",
        "@",
        "?key=",
        "&",
    ),
    *(
        HASH,
        ADDRESS,
        JWT,
        "https://a:b@c/",
        "https://x.infura.io/v3/",
        "-----BEGIN PRIVATE KEY-----",
    ),
    *("-----END", "‹masked: bearer, 40 chars›", "‹masked: ", "›", "\ud800", "İ", "is ", "a", "1"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A key inside a longer secret: the secret ends where the longer one does.
        (f"PASSWORD={ANTHROPIC}!tail99", f"PASSWORD=‹masked: api key, {len(ANTHROPIC) + 7} chars›"),
        ("token=AKIAIOSFODNN7EXAMPLE/yyyy+rest", "token=‹masked: api key, 30 chars›"),
        # A key that begins inside another secret and ends behind it.
        (
            f"password=abc{ANTHROPIC},next",
            f"password=‹masked: password, {len(ANTHROPIC) + 8} chars›",
        ),
        # A short secret inside a long one does not end it early.
        (
            "Authorization: Bearer AKIAIOSFODNN7EXAMPLE/zzzz+qq",
            "Authorization: Bearer ‹masked: bearer, 28 chars›",
        ),
    ],
)
def test_overlapping_secrets_are_hidden_up_to_the_later_end(text: str, expected: str) -> None:
    assert mask(text).text == expected


@settings(deadline=None)
@given(st.text() | st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = mask(text)
    assert mask(once.text) == Masked(once.text, 0)
    if once.count == 0:
        assert once.text == text
    named = mask_named("password", text)
    assert mask_named("password", named.text) == Masked(named.text, 0)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([f for f in FRAGMENTS if "masked" not in f]), max_size=6).map("".join),
    st.sampled_from(["ghp_0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f", JWT]),
    st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join),
)
def test_a_key_is_hidden_in_any_context(before: str, key: str, after: str) -> None:
    assert key not in mask(f"{before} {key} {after}").text


HOSTILE = [
    *(
        "a",
        "sk-",
        "eyJ",
        "eyJaaaaa.",
        "bearer ",
        "authorization: digest a",
        "cookie: a=",
        "cookie:",
    ),
    *("://a:", "://aaaa@", "token=", "token='", 'token:\\"', "secret: [", 'secret: ["a",', '\\"'),
    *("password: |\n a\n", "password:'x", "-----BEGIN PRIVATE KEY-----", "mnemonic abc de "),
    *(
        f"secret {HASH} ",
        "/v2/abcdefghijklmnop12",
        "?key=abcdefghij1",
        "alchemy.com/v2/",
        "--token ",
    ),
    *("password is ", "password: ‹masked: bearer, 4 chars› ", "SG.aaaaaaaaaaaaaaaa", "abandon "),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    small, large = ((unit * (size // len(unit) + 1))[:size] for size in (4_000, 32_000))
    # Eight times the text: a linear rule takes 8 times as long, a quadratic one 64 times.
    assert_grows_at_most(24, lambda: mask(small), lambda: mask(large), grace=0.01)
