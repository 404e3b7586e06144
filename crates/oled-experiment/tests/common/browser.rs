//! A browser to open pages in: headless Chromium, driven through `chromedriver` by the protocol of the W3C.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// How long the driver may take to answer; a busy machine starts a browser slowly.
const ANSWER: Duration = Duration::from_secs(120);
/// How long something may take to become true in the page.
const LIMIT: Duration = Duration::from_secs(10);

/// A running browser; it ends when this is dropped, also when a test panics.
pub(crate) struct Browser {
    driver: Child,
    /// Kept, so that the driver can go on talking.
    said: Option<BufReader<ChildStdout>>,
    port: u16,
    session: String,
    process: Option<u64>,
    _profile: TempDir,
}

impl Browser {
    /// Starts a browser, or says loudly that it cannot.
    #[expect(clippy::print_stderr, reason = "whoever runs the tests should see what was not tested")]
    pub(crate) fn start() -> Option<Browser> {
        let browser = Command::new("chromium").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        let driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let (Ok(_), Ok(driver)) = (browser, driver) else {
            eprintln!("SKIPPED: there is no browser to drive; install Debian's packages chromium and chromium-driver");
            return None;
        };
        let profile = tempfile::tempdir().expect("a folder for the profile can be made");
        let folder = format!("--user-data-dir={}", profile.path().display());
        // From here on dropping it ends the driver.
        let mut browser =
            Browser { driver, said: None, port: 0, session: String::new(), process: None, _profile: profile };
        let said = BufReader::new(browser.driver.stdout.take().expect("its output is piped"));
        let port = browser.said.insert(said).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        browser.port = port.expect("chromedriver tells its port");
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            &folder,
        ];
        let wanted = json!({
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let started = browser.send("POST", "/session", &json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = started["sessionId"].as_str().expect("a session has an id").into();
        browser.process = started["capabilities"]["goog:processID"].as_u64();
        Some(browser)
    }

    /// Opens a file.
    pub(crate) fn open(&self, file: &Path) {
        self.post("/url", &json!({ "url": format!("file://{}", file.display()) }));
    }

    /// The value of a script, which says `return`.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// A number that a script returns.
    pub(crate) fn number(&self, script: &str) -> f64 {
        let value = self.run(&format!("return {script}"));
        value.as_f64().unwrap_or_else(|| panic!("{script} is no number but {value}"))
    }

    /// Waits until an expression is true.
    pub(crate) fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != true {
            assert!(start.elapsed() < LIMIT, "{expression} did not become true");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// A command of Chromium's own protocol.
    pub(crate) fn chromium(&self, command: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Makes the window so wide and high. Windows cannot be as narrow as a phone, but they can pretend to be.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.chromium("Emulation.setDeviceMetricsOverride", &size);
        self.wait_for(&format!("innerWidth === {width}"));
    }

    /// Makes the system light or dark.
    pub(crate) fn system_theme(&self, theme: &str) {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.chromium("Emulation.setEmulatedMedia", &feature);
    }

    /// Presses a key, as the protocol writes it, where the focus is.
    pub(crate) fn key(&self, key: &str) {
        let steps = [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })];
        self.act(&json!({ "type": "key", "id": "keyboard", "actions": steps }));
    }

    /// Clicks on what a selector finds.
    pub(crate) fn click(&self, selector: &str) {
        let (x, y) = self.place(selector, 0.5);
        self.mouse(&[mouse_move(x, y), mouse_press(), mouse_release()]);
    }

    /// Drags across what a selector finds, from one share of its width to another.
    pub(crate) fn drag(&self, selector: &str, from: f64, to: f64) {
        let (a, b) = (self.place(selector, from), self.place(selector, to));
        let middle = mouse_move(i64::midpoint(a.0, b.0), a.1);
        self.mouse(&[mouse_move(a.0, a.1), mouse_press(), middle, mouse_move(b.0, b.1), mouse_release()]);
    }

    /// Points at what a selector finds.
    pub(crate) fn point(&self, selector: &str) {
        let (x, y) = self.place(selector, 0.5);
        self.mouse(&[mouse_move(x, y)]);
    }

    /// Turns the wheel over what a selector finds; down is positive.
    pub(crate) fn wheel(&self, selector: &str, by: i64) {
        let (x, y) = self.place(selector, 0.5);
        let step = json!({ "type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": by, "duration": 0 });
        self.act(&json!({ "type": "wheel", "id": "wheel", "actions": [step] }));
    }

    /// Complaints in the browser's console since the last call.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().expect("a log is a list").iter();
        entries.filter(|e| e["level"] == "SEVERE" || e["level"] == "WARNING").map(Value::to_string).collect()
    }

    /// The whole page as a picture (PNG, in base 64).
    pub(crate) fn screenshot(&self) -> String {
        let shot = self.chromium("Page.captureScreenshot", &json!({ "captureBeyondViewport": true }));
        shot["data"].as_str().expect("a picture is text").into()
    }

    /// A place within an element, scrolled into view, in the window.
    fn place(&self, selector: &str, share: f64) -> (i64, i64) {
        let place = self.run(&format!(
            "const e = document.querySelector({selector:?}); \
             e.scrollIntoView({{ block: 'center', behavior: 'instant' }}); const b = e.getBoundingClientRect(); \
             return [Math.round(b.left + b.width * {share}), Math.round(b.top + b.height / 2)]"
        ));
        let part = |i: usize| place[i].as_i64().unwrap_or_else(|| panic!("{selector} has no place: {place}"));
        (part(0), part(1))
    }

    fn mouse(&self, steps: &[Value]) {
        let mouse = json!({ "pointerType": "mouse" });
        self.act(&json!({ "type": "pointer", "id": "mouse", "parameters": mouse, "actions": steps }));
    }

    fn act(&self, source: &Value) {
        self.post("/actions", &json!({ "actions": [source] }));
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("/session/{}{path}", self.session), body)
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.exchange(method, path, body).unwrap_or_else(|e| panic!("{method} {path}: {e}"));
        assert!(answer["value"]["error"].is_null(), "{method} {path}: {}", answer["value"]["message"]);
        answer["value"].clone()
    }

    /// One request of HTTP and its answer.
    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(ANSWER))?;
        let body = body.to_string();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\
             Content-Type: application/json; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{body}",
            self.port
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        for line in reader.by_ref().lines() {
            let line = line?;
            if line.is_empty() {
                break;
            }
            if let Some((_, value)) =
                line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
            {
                length = value.trim().parse().map_err(std::io::Error::other)?;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok(serde_json::from_slice(&answer)?)
    }
}

impl Drop for Browser {
    /// Asks the browser to end, and ends it by its number where the driver does not answer.
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let ended = self.session.is_empty() || self.exchange("DELETE", &path, &json!({})).is_ok();
        if let (false, Some(process)) = (ended, self.process) {
            drop(Command::new("kill").arg("-9").arg(process.to_string()).stderr(Stdio::null()).status());
        }
        drop(self.driver.kill());
        drop(self.driver.wait());
    }
}

fn mouse_move(x: i64, y: i64) -> Value {
    json!({ "type": "pointerMove", "x": x, "y": y, "duration": 0 })
}

fn mouse_press() -> Value {
    json!({ "type": "pointerDown", "button": 0 })
}

fn mouse_release() -> Value {
    json!({ "type": "pointerUp", "button": 0 })
}
