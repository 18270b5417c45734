// One registration function per family of operators; ops/table.cc calls them once.
#pragma once

namespace hybrid {

void register_unary();
void register_binary();
void register_activation();
void register_elementwise();
void register_linear();
void register_linalg();
void register_correlate();
void register_fft();
void register_fully_connected();
void register_conv();
void register_deconv();
void register_deformable();
void register_upsampling();
void register_pool();
void register_reduce();
void register_broadcast();
void register_reshape();
void register_slice();
void register_join();
void register_repeat();
void register_pad();
void register_crop();
void register_columns();
void register_adaptive_pool();
void register_bilinear_resize();
void register_index();
void register_gather();
void register_sort();
void register_search();
void register_exact_int();
void register_scan();
void register_softmax();
void register_layer_norm();
void register_group_norm();
void register_l2_norm();
void register_lrn();
void register_loss();
void register_random();
void register_creation();
void register_optimizer();
void register_random_draws();
void register_split_v2();
void register_histogram();
void register_random_pdf();
void register_special_functions();
void register_blocks_of_space();
void register_multi_index();
void register_batch_take();
void register_khatri_rao();
void register_mixed_precision();
void register_contrib_elementwise();
void register_contrib_index();
void register_interleaved_attention();
void register_linalg_products();
void register_linalg_factors();
void register_linalg_triangles();
void register_diag();

}  // namespace hybrid
