//! RoPE in Rust as a plug-in for Gnomon (spec/subject.md, SUBJ-4), std only:
//!
//!     cargo build --release --offline
//!     gnomon check --subject target/release/libgnomon_rope.so
//!
//! The structs are those of gnomon/oracle/gnomon_plugin.h.
use std::ffi::{c_char, c_int, c_void, CStr};

#[repr(C)]
pub struct Tensor {
    role: *const c_char,
    dtype: i32,
    rank: i32,
    shape: *const i64,
    strides: *const i64,
    data: *mut c_void,
}

#[repr(C)]
pub struct Call {
    size: u32,
    operation: *const c_char,
    parameters: *const c_char,
    format: *const c_char,
    in_place: *const c_char,
    inputs: *const Tensor,
    input_count: usize,
    outputs: *const Tensor,
    output_count: usize,
    message: *mut c_char,
    message_size: usize,
}

#[repr(C)]
pub struct Plugin {
    abi: u32,
    description: *const c_char,
    run: unsafe extern "C" fn(*mut c_void, *const Call) -> c_int,
    state: *mut c_void,
}
unsafe impl Sync for Plugin {}

const OK: c_int = 0;
const UNSUPPORTED: c_int = 1;
const FAILED: c_int = 3;

/// The kernel: pairs (i, i + head_dim / 2), all of it in f32.
fn rope(x: &[f32], positions: &[i64], y: &mut [f32], shape: &[i64], theta: f32) {
    let (seq, heads, dims) = (shape[1] as usize, shape[2] as usize, shape[3] as usize);
    let half = dims / 2;
    for row in 0..shape[0] as usize * seq {
        // Positions of every batch, or one row for all of them.
        let position = positions[if positions.len() > seq { row } else { row % seq }] as f32;
        for i in 0..half {
            let angle = position / theta.powf(i as f32 / half as f32);
            let (sin, cos) = angle.sin_cos();
            for head in 0..heads {
                let at = (row * heads + head) * dims + i;
                let (a, b) = (x[at], x[at + half]);
                y[at] = a * cos - b * sin;
                y[at + half] = a * sin + b * cos;
            }
        }
    }
}

unsafe fn slice<'a, T>(values: *const T, count: usize) -> &'a [T] {
    if count == 0 { &[] } else { std::slice::from_raw_parts(values, count) }
}
unsafe fn find(tensors: &[Tensor], role: &str) -> Option<(*mut c_void, Vec<i64>, usize)> {
    let t = tensors.iter().find(|t| CStr::from_ptr(t.role).to_bytes() == role.as_bytes())?;
    let shape = slice(t.shape, t.rank as usize).to_vec();
    let count = shape.iter().product::<i64>() as usize;
    Some((t.data, shape, count))
}
/// A number of the JSON object of parameters, which has no white space; exact decimals are quoted.
fn number(json: &str, name: &str, otherwise: f64) -> f64 {
    let Some((_, rest)) = json.split_once(&format!("\"{name}\":")) else { return otherwise };
    let rest = rest.trim_start_matches('"');
    rest[..rest.find(['"', ',', '}']).unwrap_or(rest.len())].parse().unwrap_or(f64::NAN)
}

unsafe extern "C" fn run(_: *mut c_void, call: *const Call) -> c_int {
    let call = &*call;
    if CStr::from_ptr(call.operation).to_bytes() != b"rope.apply" || CStr::from_ptr(call.format).to_bytes() != b"f32" {
        return UNSUPPORTED;
    }
    let inputs = slice(call.inputs, call.input_count);
    let (Some((x, shape, count)), Some((positions, _, rows)), Some((y, _, _))) = (
        find(inputs, "x"),
        find(inputs, "positions"),
        find(slice(call.outputs, call.output_count), "y"),
    ) else {
        return FAILED;
    };
    let Ok(parameters) = CStr::from_ptr(call.parameters).to_str() else { return FAILED };
    let theta = number(parameters, "rope_theta", 10000.0) as f32;
    if count > 0 {
        let out = std::slice::from_raw_parts_mut(y as *mut f32, count);
        rope(slice(x as *const f32, count), slice(positions as *const i64, rows), out, &shape, theta);
    }
    OK
}

static PLUGIN: Plugin = Plugin {
    abi: 1,
    description: concat!(
        r#"{"name": "rope in Rust", "promise": "f32-angle", "operations": {"rope.apply": {"formats": ["f32"],"#,
        r#" "parameters": {"layout": ["half_split"]}, "dtypes": {"positions": ["I64"]}, "strides": false,"#,
        r#" "in_place": false, "without": ["frequencies", "rotary_dim", "rotary_offset", "output_layout","#,
        r#" "direction", "cos", "sin"]}}}"#, "\0").as_ptr() as *const c_char,
    run,
    state: std::ptr::null_mut(),
};

#[no_mangle]
pub extern "C" fn gnomon_plugin_get() -> *const Plugin {
    &PLUGIN
}
